import type * as z from 'zod/mini';
import { accepts, type SentFields } from './accepts.ts';
import type { Account } from './account.ts';
import { CatalogError, type InvalidField } from './errors.ts';
import { defaultsOf, type IdentifierName, type ItemFields } from './fields.ts';
import { decimalsOf, type ItemChange, roundQty, throwIfInvalid, unavailableCategory } from './item.ts';
import { type Json, type JsonObject, jsonPointer } from './json.ts';
import { metadataChange } from './metadata.ts';
import { listed } from './violation.ts';
import { violationIn } from './violationIn.ts';

/** A body whose fields have each been validated on their own. */
export interface ParsedBody<Fields = SentFields> {
  /** The supported fields that were sent and are valid, in their stored form. */
  readonly sent: Partial<Fields>;
  readonly invalid: readonly InvalidField[];
}

/** What each field accepts, in the order in which they are validated. */
export type FieldSchemas<Fields> = { readonly [Name in keyof Fields]: z.ZodMiniType<Fields[Name]> };

/** One by one, because a schema for the whole body would spend most of its time on fields that were not sent. */
export function parseFields<Fields>(body: JsonObject, schemas: FieldSchemas<Fields>): ParsedBody<Fields> {
  const sent: Partial<Fields> = {};
  const invalid: InvalidField[] = [];
  for (const field in schemas) {
    if (!Object.hasOwn(body, field)) continue;
    const value = finite(body[field]);
    const { error, data } = schemas[field].safeParse(value);
    if (error === undefined) sent[field] = data;
    else invalid.push(...error.issues.map((issue) => invalidField(field, value, issue)));
  }
  return { sent, invalid };
}

/** A number such as 1e400 is parsed as infinite. As the largest number, it breaks the rules that other large ones break. */
const finite = (value: Json | undefined): Json | undefined =>
  value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY
    ? Math.sign(value) * Number.MAX_VALUE
    : value;

/** Parses the fields of an item. Response-only fields and fields not in spec table 2.1 are ignored. */
export const parseBody = (body: JsonObject): ParsedBody => parseFields(body, accepts);

function invalidField(field: string, value: Json | undefined, issue: z.core.$ZodIssue): InvalidField {
  const { path } = issue;
  if (value === null) return { field, reason: issue.message, rule: 'required' };
  return { field, ...violationIn(issue), ...(path.length > 0 && { path: jsonPointer(path) }) };
}

/** An identifier in a body, in its stored form. Undefined if there is none, or it is not valid. */
export const identifierIn = (body: JsonObject, name: IdentifierName): string | null | undefined =>
  accepts[name].safeParse(body[name]).data;

/** The category and unit in a body that the account, which may have been cached, does not have. */
export function unknownReferences({ sent }: ParsedBody, account: Account): readonly InvalidField[] {
  const { category, unit } = sent;
  const unknown: InvalidField[] = [];
  if (typeof category === 'number' && !account.categories.has(category)) unknown.push(unavailableCategory);
  if (unit !== undefined && !account.units.has(unit)) {
    const reason = `is not a registered unit of this account: ${listed([...account.units.keys()])}`;
    unknown.push({ field: 'unit', reason, rule: 'unknown_reference' });
  }
  return unknown;
}

/** Also an archived category, which a new item cannot have. An update may send back the one that its item has. */
export function unavailableReferences(parsed: ParsedBody, account: Account): readonly InvalidField[] {
  const { category } = parsed.sent;
  const isArchived = typeof category === 'number' && account.categories.get(category)?.archived === true;
  return [...(isArchived ? [unavailableCategory] : []), ...unknownReferences(parsed, account)];
}

/**
 * Builds the item for a create request (spec 4.1). @param unavailable the result of {@link unavailableReferences}
 * @throws CatalogError `VALIDATION_FAILED` with all invalid fields
 */
export function newItemFields(parsed: ParsedBody, unavailable: readonly InvalidField[], account: Account): ItemFields {
  const { sent } = parsed;
  const isNamed = sent.name !== undefined || parsed.invalid.some(({ field }) => field === 'name');
  throwIfInvalid([...(isNamed ? [] : [required('name')]), ...parsed.invalid, ...unavailable]);
  const { name = '', type = 'product', metadata = null, ...others } = sent;
  const item = { name, ...defaultsOf(type, account), ...others, metadata: metadataChange(metadata).set };
  return { ...item, qty: roundQty(item.qty, decimalsOf(item.unit, account)) };
}

export const required = (field: string): InvalidField => ({ field, reason: 'is required', rule: 'required' });

/**
 * Builds the change for an update request (spec 4.2). @param unknown the result of {@link unknownReferences}
 * @throws CatalogError `NOTHING_TO_UPDATE` without a supported field, else `VALIDATION_FAILED` with all invalid fields
 */
export function itemChange(parsed: ParsedBody, unknown: readonly InvalidField[], account: Account): ItemChange {
  if (Object.keys(parsed.sent).length + parsed.invalid.length === 0) throw new CatalogError('NOTHING_TO_UPDATE');
  throwIfInvalid([...parsed.invalid, ...unknown]);
  const { metadata, qty, ...sent } = parsed.sent;
  const change = { fields: sent, metadata: metadataChange(metadata ?? null) };
  if (qty === undefined) return change;
  if (sent.unit === undefined) return { ...change, unroundedQty: qty };
  return { ...change, fields: { ...change.fields, qty: roundQty(qty, decimalsOf(sent.unit, account)) } };
}
