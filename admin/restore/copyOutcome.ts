import type { EpochMs } from '../../lib/item/epoch.ts';
import type { FieldName, IdentifierName } from '../../lib/item/fields.ts';
import type { Json } from '../../lib/item/json.ts';
import type { Key } from '../../lib/store/database/record.ts';

/** An attribute in the table in use (`now`) and in the restored one (`before`). Null if it is not there. */
export interface Values {
  readonly now: Json;
  readonly before: Json;
}

/** How an item differs from its copy because it was written since. */
export interface LaterWrite {
  readonly fields: { readonly [Field in FieldName]?: Values };
  readonly revision: number;
  readonly writtenBy: string;
  readonly writtenAt: EpochMs;
}

/** Why an item is to be put back. */
type Loss = { readonly loss: 'missing' | 'damaged' } | ({ readonly loss: 'changed' } & LaterWrite);

/** The result for an item of the restored table. */
export type ItemResult =
  /** Nothing was lost: its fields have the same values. */
  | { readonly result: 'whole' }
  | ({ readonly result: 'put back' } & Loss)
  /** It keeps its newer values, because the older ones were not requested. */
  | ({ readonly result: 'newer' } & LaterWrite)
  /** It keeps its newer values, because the older ones were requested for another revision, or for none. */
  | ({ readonly result: 'not listed' } & LaterWrite)
  /** Other items have taken its identifiers, and keep them. `item` is null if the guard cannot be read. */
  | ({
      readonly result: 'identifier taken';
      readonly taken: readonly { readonly field: IdentifierName; readonly item: number | null }[];
    } & Loss)
  /** Its id belongs to an item that was created at another time. */
  | { readonly result: 'id taken' }
  /** Its copy cannot be used. `problem` continues "The record …". */
  | { readonly result: 'copy damaged'; readonly problem: string }
  /** DynamoDB rejects the write, because the record or a key is too long. */
  | ({ readonly result: 'rejected'; readonly message: string } & Loss)
  | { readonly result: 'no copy' }
  | { readonly result: 'written meanwhile' };

export type ItemOutcome = { readonly of: 'item'; readonly account: string; readonly id: number } & ItemResult;

/** What was done, or would be in a dry run, about anything else that was lost. */
export type CopyOutcome =
  | ItemOutcome
  /** A configuration record or an idempotency record was missing and is put back. */
  | { readonly of: 'record'; readonly key: Key }
  /** A configuration record has other values, and keeps them. */
  | { readonly of: 'changed record'; readonly key: Key; readonly fields: Readonly<Record<string, Values>> }
  /** A configuration record or the counter of item ids is damaged in the table in use, and stays as it is. */
  | { readonly of: 'damaged record'; readonly key: Key }
  /** The counter of item ids was missing or behind, and is raised to `last`. */
  | { readonly of: 'item ids'; readonly account: string; readonly last: number }
  /** This many tokens are missing. They are not put back, because each was either lost or revoked. */
  | { readonly of: 'tokens'; readonly account: string; readonly count: number };

/** The results that leave nothing to a person. */
const settled: readonly ItemResult['result'][] = ['whole', 'put back', 'newer'];

/** Whether a person must decide. */
export const needsDecision = (outcome: CopyOutcome): boolean =>
  outcome.of === 'damaged record' || (outcome.of === 'item' && !settled.includes(outcome.result));
