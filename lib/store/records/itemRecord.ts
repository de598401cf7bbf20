import * as z from 'zod/mini';
import type { RequestContext } from '../../catalog/requestContext.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { byName, type FieldKind, type FieldName, fieldNames, fields } from '../../item/fields.ts';
import type { Item, NewItem } from '../../item/item.ts';
import { isJsonObject, type Json, type JsonObject } from '../../item/json.ts';
import { listedName } from '../../item/listedName.ts';
import { exists, expressions, has, isAbsent, type Placeholders, setText } from '../database/expressions.ts';
import type { Key, StoredRecord } from '../database/record.ts';
import { keys, listKey } from './keys.ts';

/** A stored item, and details of its last write. */
export interface ItemRecord {
  readonly item: Item;
  readonly writeId: string;
  /** A logical time: no write is sent more than the permitted clock skew before the one that it overwrites. */
  readonly writtenAt: EpochMs;
  /** The fence: writes sent at or before this time can no longer land. 0 means no fence. */
  readonly closedUntil: EpochMs;
  readonly keyedUpdates: readonly unknown[];
}

/**
 * Attributes that identify the last write. `sent_at` repeats `written_at`, because versions that do not know it may
 * write `written_at` back to a much earlier time. They leave `sent_at` as it is.
 */
export const lastWrite = ({ user, writeId }: RequestContext, now: EpochMs) => ({
  written_by: user,
  written_stamp: writeId,
  written_at: now,
  sent_at: now,
});

/** The attributes with the last updates that had an idempotency key, newest first (see `KeyedUpdate`). */
export const keyedAttributes = ['keyed_1', 'keyed_2', 'keyed_3', 'keyed_4'] as const;

const isNullable = (name: FieldName): boolean => 'nullable' in fields[name];

const kinds: Readonly<Record<FieldKind, z.ZodMiniType>> = {
  text: z.string(),
  // A later version may have added a type, which earlier ones show as it is.
  type: z.string(),
  integer: z.int(),
  number: z.number(),
  boolean: z.boolean(),
  object: z.custom(isJsonObject),
};

/** Records are validated when read, so that bad data of another version or a manual edit never reaches a response. */
const shape = z.object({
  ...byName(fieldNames, (name) => {
    const stored = kinds[fields[name].kind];
    return isNullable(name) ? z.optional(stored) : stored;
  }),
  id: z.int(),
  revision: z.int(),
  created_at: z.int(),
  written_by: z.string(),
  written_stamp: z.string(),
  written_at: z.number(),
  sent_at: z.optional(z.number()),
  closed_until: z.optional(z.int()),
});

/** The values of an item whose record has none of the optional fields. */
const noValues = byName(fieldNames.filter(isNullable), () => null);

export function readItem(record: StoredRecord): ItemRecord {
  const { created_at, written_by, written_stamp, written_at, sent_at, closed_until, ...own } = shape.parse(record);
  return {
    item: { ...noValues, ...own, createdAt: created_at, updatedAt: written_at, updatedBy: written_by } as Item,
    writeId: written_stamp,
    writtenAt: Math.max(written_at, sent_at ?? 0),
    closedUntil: closed_until ?? 0,
    keyedUpdates: keyedAttributes.map((name) => record[name]),
  };
}

/**
 * An update that lowers an item's revision if it is above `highest`, and changes nothing else. A request that has just
 * written the item may still compare revisions, so the item must not have been written since `settled`.
 */
export const lowerRevision = (
  key: Key,
  { highest, to, settled }: { highest: number; to: number; settled: EpochMs },
) => ({
  Key: key,
  ...expressions((use) => {
    const { name, value } = use;
    return {
      UpdateExpression: setText(use, { revision: to }),
      ConditionExpression: `${name('revision')} > ${value(highest)} AND ${name('written_at')} < ${value(settled)}`,
    };
  }),
});

/** The record of a new item. Null fields are not stored. */
export function newItemRecord(context: RequestContext, item: NewItem): JsonObject {
  const { id, revision, createdAt } = item;
  const valued = Object.fromEntries(fieldNames.flatMap((name) => (item[name] === null ? [] : [[name, item[name]]])));
  return {
    ...keys.item(context.account, id),
    ...listKey(context.account, id, listedName(item.name)),
    ...valued,
    id,
    revision,
    created_at: createdAt,
    ...lastWrite(context, createdAt),
  };
}

/** Every write that changes an item changes one of these attributes, and so does a fence. */
const writeMarks = ['revision', 'written_stamp', 'written_at', 'closed_until'] as const;

/** Requires that the item has not been written since it was read, even if it is damaged; or that it is still missing. */
export function isUnchanged(use: Placeholders, seen: StoredRecord | undefined): string {
  if (seen === undefined) return isAbsent(use);
  return [exists(use), ...writeMarks.map((name) => has(use, name, (seen[name] ?? null) as Json))].join(' AND ');
}
