import { type FieldProblem, fieldNames, type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { canonicalJson, type Json } from '../../lib/item/json.ts';
import { canonicalIdentifier } from '../../lib/item/text.ts';
import type { FieldError, Schemas } from '../http/catalogClient.ts';
import type { SheetRow } from './1-read.ts';
import { ImportError } from './importFailure.ts';

/** A new item, or with `id` what to change in one. */
export type Row = Schemas['Row'];

/** A problem of a row, by the rules of the contract, of sheets, or of an import. */
export interface RejectProblem extends FieldProblem {
  readonly rule: string;
  readonly limit?: number | undefined;
  /** The item that has the identifier. */
  readonly item?: number | undefined;
  /** Who has changed the item since. */
  readonly by?: string | undefined;
}

/** Possibly unintended; `text` is the rest of a sentence that begins with the row. */
export type RowWarning = { readonly text: string } & (
  | { readonly rule: 'made_before'; readonly item: number }
  | { readonly rule: 'rounded_qty'; readonly from: number; readonly to: number; readonly unit: string }
  | { readonly rule: 'lost_zeros'; readonly field: string; readonly from: string; readonly to: string }
  | { readonly rule: 'total' }
  | {
      readonly rule: 'differs_in_case';
      readonly field: IdentifierName;
      /** That of the item. */
      readonly code: string;
      readonly item: number;
    }
);

export type Outcome = RowOutcome['outcome'];

/** The outcome of a row, with its details. */
export type RowOutcome =
  /** `unread`: nothing yet. `done`: written before, by this import or by another tab. */
  | (Known & { readonly outcome: 'unread' | 'create' | 'unchanged' | 'done' })
  /** An equal row has created the item within a day. It is left as it is. */
  | (Known & { readonly outcome: 'duplicate'; readonly id: number })
  /** `reactivate`: as `duplicate`, but the item is inactive, and gets the values of the row again. */
  | (Known & Item & { readonly outcome: 'update' | 'reactivate' })
  /** It may have been written: its item is updated only as it was then. */
  | (Known & SentUpdate & { readonly outcome: 'sending' })
  | (Known & Rejection & { readonly outcome: 'rejected' });

/** The item that a row updates, at the revision at which it was seen. */
interface Item {
  readonly id: number;
  readonly revision: number;
}

interface SentUpdate extends Item {
  readonly isReactivated: boolean;
}

interface Known {
  readonly id?: number | undefined;
  readonly revision?: number | undefined;
  /** What would change in the item, except what the user may not see. Values above 1 KB are omitted. */
  readonly changes?: readonly Schemas['FieldChange'][] | undefined;
  readonly warning?: RowWarning | undefined;
  /** Of the creation, if it is not that of the row: the item that an equal row has created was deleted. */
  readonly newKey?: string | undefined;
  readonly status?: number | undefined;
  readonly error?: Schemas['RowError'] | undefined;
  readonly problems?: readonly RejectProblem[] | undefined;
}

/** Why a row is rejected, with the status and the error of the same row in a request of its own, if it was sent. */
interface Rejection {
  readonly status: number;
  readonly error: Schemas['RowError'];
  readonly problems: readonly RejectProblem[];
  /** The update that may have been written nevertheless. */
  readonly unconfirmed?: SentUpdate | undefined;
}

/** What a row says. */
export interface RowContent {
  /** Its line in the file; without a file, its place. */
  readonly line: number;
  /** Its place among the rows that can be sent, counted from 1. Undefined for a row that cannot. */
  readonly place: number | undefined;
  /** The body that is sent. */
  readonly body: Row;
  /** Of its creation. Undefined for a row that names its item, or may not create one. */
  readonly key: string | undefined;
  /** As it was read from a file. */
  readonly sheetRow: SheetRow | undefined;
  /** Its cells by column, with what was typed over them. */
  readonly cells: Readonly<Record<string, string>>;
}

export type ImportRow = RowContent & RowOutcome;
export type RejectedRow = ImportRow & { readonly outcome: 'rejected' };

/** A row of which something else is known from now on. */
export function withOutcome(row: RowContent, known: RowOutcome): ImportRow {
  const { line, place, body, key, sheetRow, cells } = row;
  return { ...known, line, place, body, key, sheetRow, cells };
}

/** @param problems at least one */
export function rejectedFor(problems: readonly RejectProblem[]): RowOutcome {
  const fields = problems as FieldError[];
  const error = { code: 'VALIDATION_FAILED', message: `Invalid field: ${fields[0]?.field}.`, fields } as const;
  return { outcome: 'rejected', status: 422, error, problems };
}

/** What the service has refused: the fields at fault, or the row as a whole. */
export function rejectedBy(status: number, error: Schemas['RowError'], unconfirmed?: SentUpdate): RowOutcome {
  const { fields, message, code, by } = error;
  const whole = { field: '', rule: code.toLowerCase(), reason: message.replace(/\.$/, ''), by };
  return { outcome: 'rejected', status, error, problems: fields ?? [whole], unconfirmed };
}

/** The update that a row is when it is sent. Undefined for one that creates its item. */
export function sentUpdate(row: ImportRow): SentUpdate | undefined {
  const { id, revision } = row;
  if (id === undefined || revision === undefined) return undefined;
  const isReactivated = row.outcome === 'reactivate' || (row.outcome === 'sending' && row.isReactivated);
  return { id, revision, isReactivated };
}

/** An identifier of a row as it is compared. Undefined if the row has none. */
export function identifierIn(row: Row, name: IdentifierName): string | undefined {
  const { [name]: text } = row;
  return typeof text === 'string' ? (canonicalIdentifier(text) ?? undefined) : undefined;
}

/** The values of a row as the service compares them with those of an earlier create. */
export function valuesOf(row: Row): string {
  const values: { [field: string]: Json } = {};
  for (const name of fieldNames) if (row[name] !== undefined) values[name] = row[name] as Json;
  for (const name of identifierNames) if (typeof row[name] === 'string') values[name] = identifierIn(row, name) ?? null;
  if (typeof row.active === 'number') values['active'] = row.active === 1;
  return canonicalJson(values);
}

/** @throws ImportError where a page was not loaded over https */
export async function hashOf(value: unknown): Promise<string> {
  if (!('subtle' in crypto)) throw new ImportError('not_secure');
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(JSON.stringify(value)));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
