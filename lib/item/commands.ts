import * as z from 'zod/mini';
import type { Account } from './account.ts';
import { defaultUnit } from './account.ts';
import type { InvalidField } from './errors.ts';
import { CatalogError, validationFailed } from './errors.ts';
import { fields } from './fields.ts';
import type { ItemChange, ItemFields } from './item.ts';
import { decimalsOf, roundQty } from './item.ts';
import type { JsonObject } from './json.ts';
import { fieldNames } from './limits.ts';
import { metadataChange } from './metadata.ts';

type Fields = typeof fields;
const optionalFields = Object.fromEntries(
  Object.entries(fields).map(([name, field]) => [name, z.exactOptional(field)]),
) as { [Name in keyof Fields]: z.ZodMiniExactOptional<Fields[Name]> };

const updateBody = z.object(optionalFields);
const createBody = z.extend(updateBody, { name: fields.name });

/**
 * Reads the body of a create (spec 4.1) and completes it with the defaults of spec table 2.1.
 * @param body the request body; fields that are not in the table, and response-only ones, are ignored
 * @param account whose categories, units and defaults apply
 * @throws CatalogError `VALIDATION_FAILED` with all invalid fields
 */
export function readCreate(body: JsonObject, account: Account): ItemFields {
  const sent = read(createBody, body, account);
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
  const { metadata, qty, ...sent } = read(updateBody, body, account);
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
  if (fields.category.safeParse(category).success && typeof category === 'number' && !isOpen(category, account))
    unknown.push({ field: 'category', reason: 'is not a category of this account, or is archived' });
  if (fields.unit.safeParse(unit).success && typeof unit === 'string' && !account.units.has(unit))
    unknown.push({ field: 'unit', reason: 'is not a registered unit of this account' });
  return unknown;
}

/** Archived categories stay on the items that have them, but no request can choose one. */
const isOpen = (category: number, account: Account): boolean => account.categories.get(category)?.archived === false;

/** The checks of both operations: the shape of each field, and that the account has what it refers to. */
function read<T extends z.ZodMiniType>(schema: T, body: JsonObject, account: Account): z.output<T> {
  const parsed = schema.safeParse(body);
  const reasons = new Map<PropertyKey, string>();
  for (const { field, reason } of unknownReferences(body, account)) reasons.set(field, reason);
  for (const { path, message } of parsed.error?.issues ?? []) {
    const field = path[0] ?? '';
    if (!reasons.has(field)) reasons.set(field, Object.hasOwn(body, field) ? message : 'is required');
  }
  const [first, ...others] = fieldNames.flatMap((field) => {
    const reason = reasons.get(field);
    return reason === undefined ? [] : [{ field, reason }];
  });
  if (first !== undefined) throw validationFailed([first, ...others]);
  return parsed.data as z.output<T>;
}
