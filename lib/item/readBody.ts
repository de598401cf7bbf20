import type * as z from 'zod/mini';
import type { Account } from './account.ts';
import { defaultUnit } from './account.ts';
import type { InvalidField } from './errors.ts';
import { CatalogError, validationFailed } from './errors.ts';
import { fields } from './fields.ts';
import type { ItemChange, ItemFields } from './item.ts';
import { decimalsOf, roundQty } from './item.ts';
import type { JsonObject } from './json.ts';
import type { FieldName } from './limits.ts';
import { fieldNames } from './limits.ts';
import { metadataChange } from './metadata.ts';

/** What was sent, as it comes out of its checks; of what is required, all. */
type Sent<Required extends FieldName> = {
  [Name in Exclude<FieldName, Required>]?: z.output<(typeof fields)[Name]>;
} & { [Name in Required]: z.output<(typeof fields)[Name]> };

/**
 * Reads the body of a create (spec 4.1) and completes it with the defaults of spec table 2.1.
 * @param body the request body; fields that are not in the table, and response-only ones, are ignored
 * @param account whose categories, units and defaults apply
 * @throws CatalogError `VALIDATION_FAILED` with all invalid fields
 */
export function readCreate(body: JsonObject, account: Account): ItemFields {
  const sent = read(body, account, ['name']);
  const type = sent.type ?? 'product';
  const unit = sent.unit ?? defaultUnit[type];
  return {
    name: sent.name,
    type,
    category: sent.category === undefined ? account.defaultCategory : sent.category,
    value: sent.value ?? 0,
    qty: roundQty(sent.qty ?? 1, decimalsOf(unit, account)),
    unit,
    description: sent.description ?? null,
    active: sent.active ?? true,
    cost: sent.cost ?? 0,
    tax: sent.tax ?? account.defaultTax,
    sku: sent.sku ?? null,
    pn: sent.pn ?? null,
    tag: sent.tag ?? null,
    metadata: metadataChange(sent.metadata ?? null).set,
  };
}

/**
 * Reads the body of an update (spec 4.2).
 * @param body the request body; fields that are not in the table, and response-only ones, are ignored
 * @param account whose categories and units apply
 * @throws CatalogError `NOTHING_TO_UPDATE` when no supported field is sent, else `VALIDATION_FAILED` with all invalid fields
 */
export function readUpdate(body: JsonObject, account: Account): ItemChange {
  if (!fieldNames.some((field) => Object.hasOwn(body, field))) throw new CatalogError('NOTHING_TO_UPDATE');
  const { metadata, qty, ...sent } = read<never>(body, account, []);
  const change = { fields: sent, metadata: metadataChange(metadata ?? null) };
  if (qty === undefined) return change;
  if (sent.unit === undefined) return { ...change, unroundedQty: qty };
  return { ...change, fields: { ...change.fields, qty: roundQty(qty, decimalsOf(sent.unit, account)) } };
}

/**
 * What a body refers to that the account does not have, with the reason for each: a category or a unit, well-formed but
 * unknown. With an account that was read some time ago, read it again before believing this.
 */
export function unknownReferences(body: JsonObject, account: Account): readonly InvalidField[] {
  const { category, unit } = body;
  const unknown: InvalidField[] = [];
  if (typeof category === 'number' && fields.category.safeParse(category).success && !isOpen(category, account))
    unknown.push({ field: 'category', reason: 'is not a category of this account, or is archived' });
  if (typeof unit === 'string' && fields.unit.safeParse(unit).success && !account.units.has(unit))
    unknown.push({ field: 'unit', reason: 'is not a registered unit of this account' });
  return unknown;
}

/** Archived categories stay on the items that have them, but no request can choose one. */
const isOpen = (category: number, account: Account): boolean => account.categories.get(category)?.archived === false;

/**
 * The checks of both operations: the shape of each field that is sent, and that the account has what it refers to. They
 * are made field by field, as a schema of the whole body would spend most of its time on what is not sent.
 */
function read<Required extends FieldName>(
  body: JsonObject,
  account: Account,
  required: readonly Required[],
): Sent<Required> {
  const unknown = new Map(unknownReferences(body, account).map(({ field, reason }) => [field, reason]));
  const sent: Partial<Record<FieldName, unknown>> = {};
  const invalid: InvalidField[] = [];
  for (const field of fieldNames) {
    if (Object.hasOwn(body, field)) {
      const { error, data } = fields[field].safeParse(body[field]);
      const reason = error === undefined ? unknown.get(field) : (error.issues[0]?.message ?? 'is not valid');
      if (reason === undefined) sent[field] = data;
      else invalid.push({ field, reason });
    } else if (required.some((name) => name === field)) invalid.push({ field, reason: 'is required' });
  }
  const [first, ...others] = invalid;
  if (first !== undefined) throw validationFailed([first, ...others]);
  // Each member is what the field of its name gave, which no type can follow through the loop.
  return sent as Sent<Required>;
}
