import type * as z from 'zod/mini';
import type { Account } from './account.ts';
import { defaultsOf } from './defaults.ts';
import type { InvalidField } from './errors.ts';
import { CatalogError, refuseInvalid } from './errors.ts';
import { fields } from './fields.ts';
import type { ItemChange, ItemFields } from './item.ts';
import { decimalsOf, roundQty, unavailableCategory } from './item.ts';
import type { JsonObject } from './json.ts';
import { jsonPointer } from './json.ts';
import type { FieldName } from './limits.ts';
import { fieldNames } from './limits.ts';
import { metadataChange } from './metadata.ts';

type ParsedFields = { readonly [Name in FieldName]?: z.output<(typeof fields)[Name]> };

/** A body after each of its fields has been checked by itself. */
export interface ParsedBody {
  /** The supported fields that were sent and are valid, in the form they are stored in. */
  readonly sent: ParsedFields;
  readonly invalid: readonly InvalidField[];
}

/**
 * Checks each supported field that is sent. Fields that are not in spec table 2.1, and response-only ones, are ignored.
 * The fields are checked one by one, because a schema of the whole body spends most of its time on what is not sent.
 */
export function parseBody(body: JsonObject): ParsedBody {
  const sent: Partial<Record<FieldName, unknown>> = {};
  const invalid: InvalidField[] = [];
  for (const field of fieldNames) {
    if (!Object.hasOwn(body, field)) continue;
    const { error, data } = fields[field].safeParse(body[field]);
    if (error === undefined) sent[field] = data;
    else invalid.push(...error.issues.map(({ message, path }) => invalidField(field, message, path)));
  }
  // Each member is what the field of its name gave, which no type can follow through the loop.
  return { sent: sent as ParsedFields, invalid };
}

const invalidField = (field: FieldName, reason: string, path: readonly PropertyKey[]): InvalidField =>
  path.length === 0 ? { field, reason } : { field, reason, path: jsonPointer(path) };

/**
 * The valid category and unit of a body that the account does not have. When the account was read some time ago, read it
 * again before believing this.
 */
export function unknownReferences({ sent }: ParsedBody, account: Account): readonly InvalidField[] {
  const { category, unit } = sent;
  const unknown: InvalidField[] = [];
  if (typeof category === 'number' && !account.categories.has(category)) unknown.push(unavailableCategory);
  if (unit !== undefined && !account.units.has(unit))
    unknown.push({ field: 'unit', reason: 'is not a registered unit of this account' });
  return unknown;
}

/**
 * What {@link unknownReferences} finds, and an archived category: a new item cannot have one. An update may send it back,
 * which only the stored item can tell.
 */
export function unavailableReferences(parsed: ParsedBody, account: Account): readonly InvalidField[] {
  const { category } = parsed.sent;
  const isArchived = typeof category === 'number' && account.categories.get(category)?.archived === true;
  return [...(isArchived ? [unavailableCategory] : []), ...unknownReferences(parsed, account)];
}

/**
 * The item that a create asks for (spec 4.1), completed with the defaults of spec table 2.1.
 * @param unavailable what {@link unavailableReferences} finds in the account
 * @throws CatalogError `VALIDATION_FAILED` with all invalid fields
 */
export function newItemFields(parsed: ParsedBody, unavailable: readonly InvalidField[], account: Account): ItemFields {
  const { sent } = parsed;
  const isNamed = sent.name !== undefined || parsed.invalid.some(({ field }) => field === 'name');
  refuseInvalid([...(isNamed ? [] : [nameRequired]), ...parsed.invalid, ...unavailable]);
  const { name = '', type = 'product', metadata = null, ...others } = sent;
  const item = { name, ...defaultsOf(type, account), ...others, metadata: metadataChange(metadata).set };
  return { ...item, qty: roundQty(item.qty, decimalsOf(item.unit, account)) };
}

const nameRequired: InvalidField = { field: 'name', reason: 'is required' };

/**
 * The change that an update asks for (spec 4.2).
 * @param unknown what {@link unknownReferences} finds in the account
 * @throws CatalogError `NOTHING_TO_UPDATE` when no supported field is sent, else `VALIDATION_FAILED` with all invalid fields
 */
export function itemChange(parsed: ParsedBody, unknown: readonly InvalidField[], account: Account): ItemChange {
  if (Object.keys(parsed.sent).length + parsed.invalid.length === 0) throw new CatalogError('NOTHING_TO_UPDATE');
  refuseInvalid([...parsed.invalid, ...unknown]);
  const { metadata, qty, ...sent } = parsed.sent;
  const change = { fields: sent, metadata: metadataChange(metadata ?? null) };
  if (qty === undefined) return change;
  if (sent.unit === undefined) return { ...change, unroundedQty: qty };
  return { ...change, fields: { ...change.fields, qty: roundQty(qty, decimalsOf(sent.unit, account)) } };
}
