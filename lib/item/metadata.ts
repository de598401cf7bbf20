import type { Json, JsonObject } from './json.ts';
import { limits } from './limits.ts';
import { codePoints } from './text.ts';

/** How a request changes an item's custom fields: keys to set, and keys to remove (spec 2.2). */
export interface MetadataChange {
  readonly set: Readonly<Record<string, Json>>;
  readonly remove: readonly string[];
}

const bounds = limits.metadata;

function refusedKey(key: string): string | undefined {
  if (key === '__proto__') return 'must not have a key named __proto__';
  if (!key.isWellFormed()) return 'must be well-formed Unicode';
  const length = codePoints(key);
  if (length < bounds.keyLength.min || length > bounds.keyLength.max)
    return `must have keys of ${bounds.keyLength.min} to ${bounds.keyLength.max} characters`;
  return undefined;
}

function refusedNumber(value: number): string | undefined {
  const magnitude = Math.abs(value);
  return magnitude === 0 || (magnitude >= bounds.number.min && magnitude <= bounds.number.max)
    ? undefined
    : `must have numbers that are 0 or of a magnitude between ${bounds.number.min} and ${bounds.number.max}`;
}

function refusedString(value: string): string | undefined {
  if (!value.isWellFormed()) return 'must be well-formed Unicode';
  return codePoints(value) > bounds.stringLength
    ? `must have strings of at most ${bounds.stringLength} characters`
    : undefined;
}

/** Looks into a container only within the allowed levels, so that it ends whatever the depth of what was sent. */
function refusedValue(value: Json, level: number): string | undefined {
  if (typeof value === 'string') return refusedString(value);
  if (typeof value === 'number') return refusedNumber(value);
  if (typeof value !== 'object' || value === null) return undefined;
  if (level > bounds.levels) return `must not be nested more than ${bounds.levels} levels deep`;
  if (Array.isArray(value)) return first(value, (element) => refusedValue(element, level + 1));
  return first(Object.entries(value), ([key, member]) => refusedKey(key) ?? refusedValue(member, level + 1));
}

/** How many values a container has in it, at any level. It is nested no deeper than is allowed. */
const valuesIn = (value: Json): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((count, member) => count + 1 + valuesIn(member), 0)
    : 0;

function first<T>(values: readonly T[], refuse: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const reason = refuse(value);
    if (reason !== undefined) return reason;
  }
  return undefined;
}

/**
 * Why custom fields cannot be kept, completing the sentence "metadata …"; undefined when they can.
 * @param value the field as parsed from JSON, neither null nor left out
 */
export function refusedMetadata(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'must be an object or null';
  if (Object.keys(value).length > bounds.keysPerRequest)
    return `must have at most ${bounds.keysPerRequest} keys in one request`;
  const refused = refusedValue(value as JsonObject, 1);
  if (refused !== undefined) return refused;
  return refusedCount(value as JsonObject);
}

function refusedCount(value: JsonObject): string | undefined {
  if (Object.values(value).some((member) => valuesIn(member) > bounds.valuesPerKey))
    return `must have at most ${bounds.valuesPerKey} values under one key`;
  return valuesIn(value) > bounds.valuesPerRequest
    ? `must have at most ${bounds.valuesPerRequest} values in one request`
    : undefined;
}

/**
 * Splits sent custom fields into what to set and what to remove: a key sent with null is removed (spec 2.2 rule 2).
 * @param sent custom fields that {@link refusedMetadata} has not refused; null changes nothing (spec 2.2 rule 3)
 */
export function metadataChange(sent: JsonObject | null): MetadataChange {
  const entries = Object.entries(sent ?? {});
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    remove: entries.filter(([, value]) => value === null).map(([key]) => key),
  };
}

/**
 * The custom fields after a change: a shallow merge (spec 2.2 rule 1).
 * @param current the stored custom fields; left as they are
 */
export function mergeMetadata(current: JsonObject, change: MetadataChange): JsonObject {
  const merged = { ...current, ...change.set };
  for (const key of change.remove) delete merged[key];
  return merged;
}
