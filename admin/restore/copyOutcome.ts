import type { FieldName, IdentifierName } from '../../lib/item/fields.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { isBeingDeleted } from '../accounts/accounts.ts';
import { count } from '../columns.ts';
import { quoted } from '../verification/check.ts';
import { keyText } from '../verification/verifyTable.ts';

export type ItemResult =
  | { readonly result: 'put back' }
  /** It is not missing, and has the values of its copy. */
  | { readonly result: 'unchanged' }
  /** It is not missing, and keeps the values that it was given since. */
  | { readonly result: 'kept'; readonly fields: readonly FieldName[]; readonly writtenBy: string }
  /** Other items have taken its identifiers, and keep them. `item` is null if the guard cannot be read. */
  | {
      readonly result: 'identifier taken';
      readonly taken: readonly { readonly field: IdentifierName; readonly item: number | null }[];
    }
  /** Its id belongs to an item that was created at another time. */
  | { readonly result: 'id taken' }
  /** Its record, or its copy, cannot be used. `problem` continues "The record …". */
  | { readonly result: 'damaged' | 'copy damaged'; readonly problem: string }
  /** DynamoDB rejects the write, because the record or a key is too long. */
  | { readonly result: 'rejected'; readonly message: string }
  | { readonly result: 'no copy' }
  | { readonly result: 'written meanwhile' };

type ItemOutcome = { readonly of: 'item'; readonly account: string; readonly id: number } & ItemResult;

/** What was done, or would be in a dry run, about anything else that was lost. */
export type CopyOutcome =
  | ItemOutcome
  /** A configuration record or an idempotency record was missing and is put back. */
  | { readonly of: 'record'; readonly key: Key }
  /** A configuration record or the counter of item ids is damaged in the table in use, and stays as it is. */
  | { readonly of: 'damaged record'; readonly key: Key }
  /** The account is being deleted, so nothing of it is put back. */
  | { readonly of: 'account being deleted'; readonly account: string }
  /** The counter of item ids was missing or behind, and is raised to `last`. */
  | { readonly of: 'item ids'; readonly account: string; readonly last: number }
  /** This many tokens are missing. They are not put back, because each was either lost or revoked. */
  | { readonly of: 'tokens'; readonly account: string; readonly count: number };

/** The results that leave nothing to a person. */
const settled: readonly ItemResult['result'][] = ['put back', 'unchanged', 'kept'];

export const needsDecision = (outcome: CopyOutcome): boolean =>
  outcome.of === 'damaged record' ||
  outcome.of === 'account being deleted' ||
  (outcome.of === 'item' && !settled.includes(outcome.result));

/** Describes in a sentence what was done, or would be in a dry run, about something that was lost. */
export function outcomeText(outcome: CopyOutcome, isDryRun: boolean): string {
  const is = isDryRun ? 'would be' : 'is';
  switch (outcome.of) {
    case 'record':
      return `The record ${keyText(outcome.key)} was missing and ${is} put back.`;
    case 'damaged record':
      return `The record ${keyText(outcome.key)} cannot be read, and is not changed. Left to you: correct it, for example as it is in the restored table.`;
    case 'account being deleted':
      return `${isBeingDeleted(outcome.account)} Nothing of it is put back. Left to you: if you want it back, run this command again once it is deleted.`;
    case 'item ids':
      return `Account ${quoted(outcome.account)}: the counter of item ids was missing or behind, and ${is} raised to ${outcome.last}.`;
    case 'tokens':
      return `Account ${quoted(outcome.account)}: ${tokens(outcome.count)}`;
    case 'item':
      return `Account ${quoted(outcome.account)}: item ${outcome.id} ${itemText(outcome, is)}.`;
  }
}

const tokens = (count: number): string =>
  count === 1
    ? 'a token is missing. It is not put back, because it may have been revoked. If it was lost, issue another.'
    : `${count} tokens are missing. They are not put back, because they may have been revoked. If they were lost, issue others.`;

/** Continues "item 1 ". */
function itemText(outcome: ItemOutcome, is: string): string {
  switch (outcome.result) {
    case 'unchanged':
      return 'is unchanged';
    case 'kept':
      return `has newer values (${outcome.fields.join(', ')}), last written by ${quoted(outcome.writtenBy)}, and keeps them`;
    case 'put back':
      return `was missing and ${is} put back`;
    case 'identifier taken':
      return `is not put back: ${outcome.taken.map(takenText).join(', and ')}. Left to you: free it in that item, or repair the guards with verify --repair, and run the command again`;
    case 'id taken':
      return 'is not put back: an item that was created at another time has its id. Left to you: create it again';
    case 'damaged':
      return `is not missing, but its record ${keyText(keys.item(outcome.account, outcome.id))} ${outcome.problem}. Left to you: correct that record, or delete it and run the command again, which puts its copy back`;
    case 'copy damaged':
      return `is not put back: its record in the restored table ${outcome.problem}. Left to you: restore to an earlier time`;
    case 'rejected':
      return `is not put back: DynamoDB rejects it (${quoted(outcome.message)}). Left to you: shorten its record in the restored table, and run the command again`;
    case 'no copy':
      return 'is not in the restored table. Left to you: restore to another time';
    case 'written meanwhile':
      return 'is not put back, because it was written in the meantime. Left to you: run the command again';
  }
}

const takenText = ({ field, item }: { readonly field: string; readonly item: number | null }): string =>
  item === null ? `the guard of its ${field} cannot be read` : `its ${field} is guarded for item ${item}`;

/** The counts at the start. `putBack` and `left` are of items and other records, `kept` of items with newer values. */
export const noCounts = { records: 0, items: 0, putBack: 0, kept: 0, left: 0 };

export type Counts = typeof noCounts;

export const restoreProgressText = ({ records, items, putBack }: Counts): string =>
  `${count(records)} records read, ${count(items)} items compared, ${count(putBack)} put back`;

export const summaryText = ({ items, putBack, kept, left }: Counts, isDryRun: boolean): string =>
  `Items compared: ${count(items)}. ${isDryRun ? 'Would be put back' : 'Put back'}: ${count(putBack)}. ` +
  `Kept with newer values: ${count(kept)}. Left to you: ${count(left)}.`;
