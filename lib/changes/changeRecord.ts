import * as z from 'zod/mini';
import type { EpochMs } from '../item/epoch.ts';
import type { FieldChange } from '../item/fieldChanges.ts';
import type { Json, JsonObject } from '../item/json.ts';
import { limits } from '../item/limits.ts';
import { equals, expressions, isAbsent, setText } from '../store/database/expressions.ts';
import { keyAttributes, type StoredRecord } from '../store/database/record.ts';
import { putNew, type TransactionParts } from '../store/database/writes.ts';
import { changeKeys } from '../store/records/keys.ts';
import type { RecordedChange } from './recordedChange.ts';

/** A write of an item that the table's stream has delivered. */
export interface StreamedWrite extends Omit<RecordedChange, 'number' | 'recordedAt'> {
  readonly account: string;
  /** The sequence number of its stream record, which is the same in each delivery. */
  readonly sequence: string;
  /** When DynamoDB did it, to the second. */
  readonly streamedAt: EpochMs;
  /** Whether only the names of the fields are known, because an image cannot be read. */
  readonly isUnreadable?: boolean;
}

const shape = z.object({
  [keyAttributes.expiry]: z.int(),
  number: z.int(),
  item: z.int(),
  kind: z.custom<RecordedChange['kind']>((kind) => typeof kind === 'string'),
  revision: z.int(),
  updated_at: z.number(),
  updated_by: z.string(),
  recorded_at: z.optional(z.number()),
  fields: z.array(z.custom<FieldChange>((change) => typeof change === 'object')),
});

/** @returns undefined if the change has expired. @throws an error if the record is not a change */
export function readChange(record: StoredRecord, now: EpochMs): RecordedChange | undefined {
  const { expires_at, updated_at, updated_by, recorded_at, ...change } = shape.parse(record);
  if (expires_at * 1_000 <= now) return undefined;
  return { ...change, updatedAt: updated_at, updatedBy: updated_by, recordedAt: recorded_at };
}

/** In bytes of JSON. Larger values of a change are not kept, so that pages are not short. */
const largestValues = limits.pageBytes / limits.page.max;

function storedFields(fields: readonly FieldChange[], isUnreadable: boolean): Json {
  const isLarge = isUnreadable || Buffer.byteLength(JSON.stringify(fields)) > largestValues;
  return fields.map(({ from = null, to = null, ...name }) => (isLarge ? name : { ...name, from, to }));
}

const counterShape = z.object({
  /** The numbers of the first and the last change. */
  first: z.optional(z.int()),
  last: z.optional(z.int()),
  /** When the last change was recorded. */
  recorded_at: z.optional(z.number()),
  /** When an operator last skipped lost changes. `first` is the number of the first change after them. */
  skipped_at: z.optional(z.number()),
  /** Writes up to this time are not recorded, because the account was deleted after them. */
  closed_until: z.optional(z.int()),
});

export type ChangeCounter = z.output<typeof counterShape>;

export const readChangeCounter = (record: StoredRecord = {}): ChangeCounter => counterShape.parse(record);

/** How long a counter of a deleted account is kept, in seconds: longer than the stream keeps the account's last writes. */
const closedLifetime = 2 * 24 * 60 * 60;

/** The counter of an account whose writes are not recorded. @param until the time of the last of them */
export const closedCounter = (account: string, until: EpochMs, now: EpochMs) => ({
  ...changeKeys.counter(account),
  last: now,
  closed_until: until,
  [keyAttributes.expiry]: Math.ceil(now / 1_000) + closedLifetime,
});

/** The part of the transaction that advances the counter. The name of each write's part is its sequence number. */
export const counterPart = 'counter';

/**
 * The transaction that records writes under the numbers after the counter's. It is refused if the counter is not as it
 * was read, or a write was recorded before. The first number is the time in milliseconds, so that an account that is
 * opened again reuses none.
 */
export function changeParts(
  account: string,
  counter: ChangeCounter,
  writes: readonly StreamedWrite[],
  { now, days }: { readonly now: EpochMs; readonly days: number },
): TransactionParts {
  const start = (counter.last ?? now - 1) + 1;
  // The clock of another container may be ahead.
  const recorded_at = Math.max(now, counter.recorded_at ?? 0);
  const expiry = { [keyAttributes.expiry]: Math.floor(now / 1_000) + days * 24 * 60 * 60 };
  const puts = writes.flatMap(
    ({ sequence, streamedAt: _, isUnreadable = false, updatedAt, updatedBy, fields, ...write }, index) => {
      const number = start + index;
      const written = {
        updated_at: updatedAt,
        updated_by: updatedBy,
        recorded_at,
        fields: storedFields(fields, isUnreadable),
      };
      const change = { ...write, ...written, number, ...expiry };
      const ofItem = { ...changeKeys.ofItem(account, write.item, sequence), ...change };
      return [
        [`change ${number}`, { Put: { Item: { ...changeKeys.change(account, number), ...change } } }] as const,
        [sequence, putNew(ofItem)] as const,
      ];
    },
  );
  const last = start + writes.length - 1;
  return {
    [counterPart]: { Update: advance(account, counter, { first: counter.first ?? start, last, recorded_at }) },
    ...Object.fromEntries(puts),
  };
}

/** Skips a number, as if lost changes had expired there. Refused if the counter is not as it was read. */
export function skipUpdate(account: string, counter: ChangeCounter, now: EpochMs) {
  const missing = (counter.last ?? now - 1) + 1;
  const at = Math.max(now, counter.recorded_at ?? 0);
  return advance(account, counter, { first: missing + 1, last: missing, recorded_at: at, skipped_at: at });
}

/** Once the account is being deleted, the counter has another last number. */
const advance = (account: string, { last }: ChangeCounter, next: JsonObject) => ({
  Key: changeKeys.counter(account),
  ...expressions((use) => ({
    UpdateExpression: setText(use, { ...next, [keyAttributes.expiry]: null }),
    ConditionExpression: last === undefined ? isAbsent(use) : equals(use, 'last', last),
  })),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});
