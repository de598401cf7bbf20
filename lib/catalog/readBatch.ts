import { type BatchMembers, batchFields, keysReason, rowTarget } from '../item/batchFields.ts';
import { type InvalidField, throwIfAny } from '../item/errors.ts';
import { type FieldName, type IdentifierName, identifierNames } from '../item/fields.ts';
import { isObject, type Json, type JsonObject } from '../item/json.ts';
import { identifierIn, parseFields, required } from '../item/readBody.ts';
import { RepeatedRows } from '../item/repeatedRows.ts';
import { unknownNames } from '../item/violation.ts';

export interface BatchRow {
  /** Its place in the batch, counted from 1. */
  readonly place: number;
  readonly body: JsonObject;
  /** The item to update, and the revision at which it must be (`If-Match`). */
  readonly target: { readonly id?: number; readonly revision?: number };
  /** Its idempotency key. It contains a space, so it is never that of a single request. */
  readonly key: string | undefined;
  /** Whether nothing is written if it changes nothing. */
  readonly skipsUnchanged: boolean;
  /** Its problems, except those of its fields. */
  readonly invalid: readonly InvalidField[];
}

export interface Batch {
  readonly rows: readonly BatchRow[];
  /** Rows without an id update the item that has their value of this identifier, if there is one. */
  readonly match: IdentifierName | undefined;
  /** Whether the others are new items. If not, they are refused. */
  readonly canCreate: boolean;
  readonly isDry: boolean;
  readonly repeated: RepeatedRows;
}

/** How rows find their items: the members of `match`, or those beside it. */
const matchOf = ({ match, create, keys }: BatchMembers) =>
  typeof match === 'object' ? match : { field: match, create, keys, unchanged: undefined };

const memberBeside = (body: JsonObject): InvalidField[] =>
  ['create', 'keys']
    .filter((name) => Object.hasOwn(body, name))
    .map((field) => ({ field, reason: 'is a member of match, if that is an object', rule: 'exclusive' }));

/**
 * Reads the body of a batch. Other members are refused, unlike those of an item: one with `dryRun` would be written.
 * @param hidden the fields that the caller may not see: whether a row that sends one is skipped would reveal its value
 * @throws CatalogError `VALIDATION_FAILED` on a member of the batch
 */
export function readBatch(body: JsonObject, key: string | undefined, hidden: readonly FieldName[]): Batch {
  const { sent, invalid } = parseFields(body, batchFields);
  const unknown = [
    ...unknownNames(Object.keys(body), batchFields, 'is not a member of a batch'),
    ...(typeof sent.match === 'object' ? memberBeside(body) : []),
  ];
  const { rows = [], dry_run: isDry = false } = sent;
  const { field: match, create: canCreate = true, keys, unchanged } = matchOf(sent);
  const ownKeys = keys?.filter((own) => own !== null) ?? [];
  const isKeyed = keys === undefined || (keys.length === rows.length && new Set(ownKeys).size === ownKeys.length);
  throwIfAny([
    ...(Object.hasOwn(body, 'rows') ? [] : [required('rows')]),
    ...invalid,
    ...(isKeyed || sent.rows === undefined ? [] : [{ field: 'keys', reason: keysReason, rule: 'pattern' } as const]),
    ...unknown,
  ]);
  const repeated = new RepeatedRows();
  // Rows with another identifier in common conflict like requests, except in a dry run, which writes none of them.
  const unique = isDry ? identifierNames : identifierNames.filter((name) => name === match);
  const read = (row: Json, index: number): BatchRow => {
    const place = index + 1;
    const ownKey = keys?.[index] ?? null;
    // Only a row's own key begins with a space, so it never equals one that is derived from the batch's.
    const own = { place, key: ownKey !== null ? ` ${ownKey}` : key && `${key} ${place}` };
    if (!isObject(row)) {
      const invalid = [{ field: 'row', reason: 'must be an object', rule: 'type' }] as const;
      return { ...own, body: {}, target: {}, skipsUnchanged: false, invalid };
    }
    const members = row as JsonObject;
    const skipsUnchanged = unchanged === 'skip' && !hidden.some((name) => Object.hasOwn(members, name));
    // A create ignores both, like other members of a response.
    const target = Object.hasOwn(members, 'id') ? parseFields(members, rowTarget) : { sent: {}, invalid: [] };
    const { id } = target.sent;
    const again = [
      ...(id === undefined ? [] : repeated.add('id', id, place)),
      ...unique.flatMap((name) => {
        const text = identifierIn(members, name);
        return typeof text === 'string' ? repeated.add(name, text, place) : [];
      }),
    ];
    return { ...own, body: members, target: target.sent, skipsUnchanged, invalid: [...target.invalid, ...again] };
  };
  return { rows: rows.map(read), match, canCreate, isDry, repeated };
}
