import { batchFields, rowTarget } from '../item/batchFields.ts';
import type { CatalogError } from '../item/errors.ts';
import { catalogErrorOf, throwIfAny, validationFailed } from '../item/errors.ts';
import type { IdentifierName } from '../item/fields.ts';
import { identifierNames } from '../item/fields.ts';
import type { Json, JsonObject } from '../item/json.ts';
import { parseFields, required } from '../item/readBody.ts';
import { RepeatedRows } from '../item/repeatedRows.ts';

/** A row of a batch that can be written. */
export interface BatchRow {
  /** Its place in the batch, such as `row 3`. */
  readonly place: string;
  /** The body of a create or an update. */
  readonly body: JsonObject;
  /** The item to update. Undefined if the row does not say. */
  readonly id?: number;
  /** The revision at which the item must be (`If-Match`). Undefined allows any. */
  readonly revision?: number;
  /** The row's own idempotency key. No single request can have it, because it contains a space. */
  readonly key: string | undefined;
}

/** A batch whose members are valid. */
export interface Batch {
  /** An error is the outcome of its row. */
  readonly rows: readonly (BatchRow | CatalogError)[];
  /** Rows without an id update the item that has this identifier of theirs, if there is one. */
  readonly match: IdentifierName | undefined;
  /** Nothing is to be written. */
  readonly isDry: boolean;
  /** What the rows are for. */
  readonly repeated: RepeatedRows;
}

/**
 * @param key the idempotency key of the batch
 * @throws CatalogError `VALIDATION_FAILED` on `rows`, `match` or `dry_run`
 */
export function readBatch(body: JsonObject, key: string | undefined): Batch {
  const { sent, invalid } = parseFields(body, batchFields);
  throwIfAny([...(Object.hasOwn(body, 'rows') ? [] : [required('rows')]), ...invalid]);
  const { rows = [], match, dry_run: isDry = false } = sent;
  const repeated = new RepeatedRows();
  // Otherwise, rows with equal identifiers that are not matched conflict like requests. A dry run writes none of them.
  const unique = isDry ? identifierNames : identifierNames.filter((name) => name === match);
  const read = (row: Json, index: number): BatchRow | CatalogError => {
    try {
      const number = index + 1;
      const place = `row ${number}`;
      return { ...readRow(row, place, unique, repeated), place, key: key === undefined ? key : `${key} ${number}` };
    } catch (error) {
      return catalogErrorOf(error);
    }
  };
  return { rows: rows.map(read), match, isDry, repeated };
}

function readRow(row: Json, place: string, unique: readonly IdentifierName[], repeated: RepeatedRows) {
  if (typeof row !== 'object' || row === null || Array.isArray(row))
    throw validationFailed([{ field: 'row', reason: 'must be an object', rule: 'type' }]);
  const body = row as JsonObject;
  const isUpdate = Object.hasOwn(body, 'id');
  // A create ignores these members, as it ignores all others of a response.
  const { sent, invalid } = isUpdate ? parseFields(body, rowTarget) : { sent: {}, invalid: [] };
  throwIfAny(invalid);
  const { id } = sent;
  throwIfAny([
    ...(id === undefined ? [] : repeated.take('id', id, place)),
    ...repeated.takeIdentifiers(body, unique, place),
  ]);
  return { ...sent, body };
}
