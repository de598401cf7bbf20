import { type FieldName, type FieldProblem, fieldNames, itemTypes } from '../lib/item/fields.ts';
import { jsonPointer } from '../lib/item/json.ts';
import { metadataProblems } from '../lib/item/metadata.ts';
import { codePoints, hasControlCharacters, hasFormatCharacters, hasVisibleCharacters } from '../lib/item/text.ts';
import type { Violation } from '../lib/item/violation.ts';

/** What the catalog says of an account, as far as fields must keep to it. */
export interface ItemRules {
  readonly categories: readonly { readonly id: number; readonly archived: boolean }[];
  readonly units: readonly { readonly unit: string }[];
  /** By field. Those of metadata are the same in all accounts. */
  readonly limits: Readonly<Partial<Record<FieldName, object>>>;
}

type Values = Readonly<Partial<Record<FieldName, unknown>>>;

/**
 * What the service would refuse of a create or an update, all at once, for forms and rows that it has not seen yet. Only
 * the service knows which codes are taken.
 * @param fields those that are sent; of a create also the `name`, which may be empty
 * @param kept the item that is updated, which may keep an archived category
 */
export function brokenRules(fields: Values, rules: ItemRules, kept: Values = {}): (FieldProblem & Violation)[] {
  return fieldNames.flatMap((field): (FieldProblem & Violation)[] => {
    const { [field]: value } = fields;
    if (value === undefined || value === null) return [];
    if (field === 'metadata')
      return metadataProblems(value).map(({ path, ...broken }) => ({ field, path: jsonPointer(path), ...broken }));
    const { min = 0, max = Number.POSITIVE_INFINITY } = { ...rules.limits[field] } as { min?: number; max?: number };
    const broken =
      typeof value === 'number' && field !== 'category'
        ? amountRule(value, min, max)
        : (choiceRule(field, value, rules, kept) ?? textRule(field, String(value), max));
    return broken === undefined ? [] : [{ field, ...broken }];
  });
}

function amountRule(value: number, min: number, max: number): Violation | undefined {
  if (value < min) return { reason: `must be at least ${min}`, rule: 'min', limit: min };
  return value > max ? { reason: `must be at most ${max}`, rule: 'max', limit: max } : undefined;
}

function choiceRule(field: FieldName, value: unknown, rules: ItemRules, kept: Values): Violation | undefined {
  const choices: Readonly<Partial<Record<FieldName, readonly unknown[]>>> = {
    type: itemTypes,
    unit: rules.units.map(({ unit }) => unit),
    category: [kept.category, ...rules.categories.flatMap(({ id, archived }) => (archived ? [] : [id]))],
  };
  if (choices[field]?.includes(value) ?? true) return undefined;
  return { reason: 'is none of those that there are', rule: field === 'type' ? 'choice' : 'unknown_reference' };
}

function textRule(field: FieldName, text: string, max: number): Violation | undefined {
  const isCode = field === 'sku' || field === 'pn';
  if (field === 'name' && !hasVisibleCharacters(text)) return { reason: 'must not be empty', rule: 'required' };
  if (codePoints(isCode ? text.trim().normalize('NFC') : text) > max)
    return { reason: `must have at most ${max} characters`, rule: 'max_length', limit: max };
  const isHidden =
    (field === 'name' || isCode) && (hasControlCharacters(text) || (isCode && hasFormatCharacters(text)));
  return isHidden ? { reason: 'must have no control or invisible characters', rule: 'pattern' } : undefined;
}
