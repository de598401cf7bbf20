import { type InvalidField, validationFailed } from './errors.ts';
import { isObject, type Json, type JsonObject } from './json.ts';
import { limits } from './limits.ts';
import { codePoints } from './text.ts';
import { malformedText, type Violation } from './violation.ts';

/** The metadata keys that a request sets and removes (spec 2.2). */
export interface MetadataChange {
  readonly set: Readonly<Record<string, Json>>;
  readonly remove: readonly string[];
}

const bounds = limits.metadata;

function keyProblem(key: string): Violation | undefined {
  if (key === '__proto__') return { reason: 'must not have a key named __proto__', rule: 'pattern' };
  if (!key.isWellFormed()) return malformedText;
  const { min, max } = bounds.keyLength;
  const reason = `must have keys of ${min} to ${max} characters`;
  const length = codePoints(key);
  if (length < min) return { reason, rule: 'required' };
  return length > max ? { reason, rule: 'max_length', limit: max } : undefined;
}

function numberProblem(value: number): Violation | undefined {
  const { min, max } = bounds.number;
  const magnitude = Math.abs(value);
  const reason = `must have numbers that are 0 or of a magnitude between ${min} and ${max}`;
  if (magnitude > max) return { reason, rule: 'max', limit: max };
  return magnitude > 0 && magnitude < min ? { reason, rule: 'min', limit: min } : undefined;
}

function stringProblem(value: string): Violation | undefined {
  if (!value.isWellFormed()) return malformedText;
  const limit = bounds.stringLength;
  return codePoints(value) > limit
    ? { reason: `must have strings of at most ${limit} characters`, rule: 'max_length', limit }
    : undefined;
}

export interface MetadataProblem extends Violation {
  /** The path of keys to that part; empty for the metadata as a whole. */
  readonly path: readonly string[];
}

/** Reports no more problems per request than this: enough for a person to start with. */
const maxReported = 5;

/** @param level nesting depth of the value, counting the value itself if it is a container */
function valueProblem(value: Json, level: number): Violation | undefined {
  if (typeof value === 'string') return stringProblem(value);
  if (typeof value === 'number') return numberProblem(value);
  const limit = bounds.levels;
  return isContainer(value) && level > limit
    ? { reason: `must not be nested more than ${limit} levels deep`, rule: 'max_depth', limit }
    : undefined;
}

type Container = JsonObject | readonly Json[];

const isContainer = (value: Json): value is Container => typeof value === 'object' && value !== null;

/** Yields the invalid parts of a container. Does not descend below the maximum depth. */
function* problemsIn(container: Container, path: readonly string[]): Generator<MetadataProblem> {
  const hasKeys = !Array.isArray(container);
  for (const [key, value] of Object.entries(container)) {
    const problem = (hasKeys ? keyProblem(key) : undefined) ?? valueProblem(value, path.length + 2);
    if (problem !== undefined) yield { ...problem, path: [...path, key] };
    else if (isContainer(value)) yield* problemsIn(value, [...path, key]);
  }
}

/** Counts the values under a key, down to the maximum depth. Stops once the count exceeds the limit. */
function valuesUnder(value: Json, level = 2): number {
  if (!isContainer(value) || level > bounds.levels) return 0;
  let count = 0;
  for (const member of Array.isArray(value) ? value : Object.values(value)) {
    count += 1 + valuesUnder(member, level + 1);
    if (count > bounds.valuesPerKey) break;
  }
  return count;
}

function countProblems(metadata: JsonObject): MetadataProblem[] {
  const counts = Object.entries(metadata).map(([key, value]) => ({ key, count: valuesUnder(value) }));
  const problems = counts
    .filter(({ count }) => count > bounds.valuesPerKey)
    .map(({ key }) => ({ ...tooMany(bounds.valuesPerKey, 'values under one key'), path: [key] }));
  const all = counts.reduce((sum, { count }) => sum + 1 + count, 0);
  if (problems.length > 0 || all <= bounds.valuesPerRequest) return problems;
  return [{ ...tooMany(bounds.valuesPerRequest, 'values in one request'), path: [] }];
}

const tooMany = (limit: number, what: string): Violation => ({
  reason: `must have at most ${limit} ${what}`,
  rule: 'max_items',
  limit,
});

/**
 * Values are counted first, and counting stops at the limit, so the running time is bounded.
 * @param value the parsed JSON value of the field, neither null nor undefined
 */
export function metadataProblems(value: unknown): readonly MetadataProblem[] {
  if (!isObject(value)) return [{ reason: 'must be an object or null', rule: 'type', path: [] }];
  if (Object.keys(value).length > bounds.keysPerRequest)
    return [{ ...tooMany(bounds.keysPerRequest, 'keys in one request'), path: [] }];
  const metadata = value as JsonObject;
  const counts = countProblems(metadata);
  return counts.length > 0 ? counts.slice(0, maxReported) : [...problemsIn(metadata, []).take(maxReported)];
}

/** Keys to set and, if sent as null, to remove (spec 2.2 rule 2). Null instead of metadata changes nothing (rule 3). */
export function metadataChange(sent: JsonObject | null): MetadataChange {
  const entries = Object.entries(sent ?? {});
  return {
    set: Object.fromEntries(entries.filter(([, value]) => value !== null)),
    remove: entries.filter(([, value]) => value === null).map(([key]) => key),
  };
}

/** Applies a change as a shallow merge (spec 2.2 rule 1). @param current the stored metadata, which is not modified */
export function mergeMetadata(current: JsonObject, change: MetadataChange): JsonObject {
  const merged = { ...current, ...change.set };
  for (const key of change.remove) delete merged[key];
  return merged;
}

/** The error for metadata that would exceed the stored limits, in keys or in bytes. */
export const largeMetadata: InvalidField = {
  field: 'metadata',
  reason: `must leave the item with at most ${limits.metadata.keysStored} keys and within ${limits.item / 1024} KB`,
  rule: 'max_items',
  limit: limits.metadata.keysStored,
};

export const tooMuchMetadata = () => validationFailed([{ ...largeMetadata, rule: 'max_bytes', limit: limits.item }]);
