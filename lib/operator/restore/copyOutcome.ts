import type { FieldName } from '../../item/limits.ts';
import type { IdentifierName, Key } from '../../store/records/keys.ts';

/** What is wrong with an item in the table in use. */
export type Loss = 'missing' | 'damaged' | 'changed';

/** What became of an item of the restored table. */
export type ItemResult =
  /** Nothing was lost: its fields are as they were. */
  | { readonly result: 'whole' }
  /** It has been put back, or in a dry run would be. `fields` have other values now, of a changed item. */
  | { readonly result: 'put back'; readonly loss: Loss; readonly fields: readonly FieldName[] }
  /** It has other values, which stay: nobody asked for the older ones, or it was written after they had been put back. */
  | {
      readonly result: 'newer';
      readonly fields: readonly FieldName[];
      readonly writtenBy: string;
      /** In milliseconds since 1970. */
      readonly writtenAt: number;
    }
  /** Other items have its identifiers by now, and keep them. `item` is null where the guard cannot be read. */
  | {
      readonly result: 'identifier taken';
      readonly taken: readonly { readonly field: IdentifierName; readonly item: number | null }[];
    }
  /** Its id belongs to an item that was created at another time. */
  | { readonly result: 'id taken' }
  /** Its copy cannot be used. `problem` goes on from "The record …". */
  | { readonly result: 'copy damaged'; readonly problem: string }
  /** It is not in the restored table. */
  | { readonly result: 'no copy' }
  /** It was written each time when it was to be put back. */
  | { readonly result: 'written meanwhile' };

export type ItemOutcome = { readonly of: 'item'; readonly account: string; readonly id: number } & ItemResult;

/** What was done, or in a dry run would be, about anything else that was lost. */
export type CopyOutcome =
  | ItemOutcome
  /** A record of an account's configuration, or of an idempotency key, was missing and is put back. */
  | { readonly of: 'record'; readonly key: Key }
  /** The counter of item ids was missing or behind, and is raised to `last`. */
  | { readonly of: 'item ids'; readonly account: string; readonly last: number }
  /** So many tokens are missing, and stay so: each was lost or revoked. */
  | { readonly of: 'tokens'; readonly account: string; readonly count: number };

/** The results that leave an item to a person. */
const leftResults: readonly ItemResult['result'][] = [
  'identifier taken',
  'id taken',
  'copy damaged',
  'no copy',
  'written meanwhile',
];

/** Whether a person must see to it. */
export const isLeft = (outcome: CopyOutcome): boolean => outcome.of === 'item' && leftResults.includes(outcome.result);
