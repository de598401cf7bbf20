import * as z from 'zod/mini';
import { accepts } from '../item/accepts.ts';
import { byName, type FieldName, fieldNames, fields } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { controlCharacters } from '../item/text.ts';
import { anyNumber, reference, type Schema } from './schema.ts';

const descriptions: Readonly<Record<FieldName, string>> = {
  name: 'The name of the item, with at least one visible character.',
  type: 'Whether the item is a product or a service.',
  category: 'The id of one of the account’s categories. Null if the item has no category.',
  value: `The unit price, rounded to ${limits.value.decimals} decimals. Amounts have no currency.`,
  qty: 'The default quantity, rounded to the number of decimals of the unit.',
  unit: 'The unit of measure, one of the account’s registered units.',
  description: 'A description of the item. Null if it has none.',
  active: 'Whether the item is active. Lists exclude inactive items by default.',
  cost: `The cost of the item, rounded to ${limits.cost.decimals} decimals.`,
  tax: `The tax, as an amount and not a percentage, rounded to ${limits.tax.decimals} decimals.`,
  sku: 'The SKU of the item, unique in the account, without invisible characters. Null if the item has no SKU.',
  pn: 'The manufacturer’s part number, unique in the account, without invisible characters. Null if the item has no part number.',
  tag: 'The tags of the item. Null if it has none.',
  metadata:
    'Custom fields. An update merges them into the stored ones, key by key. A key sent as null is removed. Null instead of an object changes nothing.',
};

const line = `[^${controlCharacters}]*`;

/** Without Unicode classes, with which the regular expressions of many languages reject the whole pattern. */
function patternOf(field: FieldName): Schema {
  // Blanks, a visible character, then anything: a text fits in only one way, so checking takes linear time.
  if (field === 'name') return { pattern: String.raw`^[^\S${controlCharacters}]*[^\s${controlCharacters}]${line}$` };
  return 'unique' in fields[field] ? { pattern: `^${line}$` } : {};
}

/** The bounds of a text's length, which Zod checks with functions, so they cannot be derived from its schema. */
function lengthOf(field: FieldName): Schema {
  const row = fields[field];
  const { min, max }: { min?: number; max?: number } = 'limits' in row ? row.limits : {};
  return { ...(min !== undefined && { minLength: min }), ...(max !== undefined && { maxLength: max }) };
}

/** What Zod knows: type, choices, range, and whether the field may be null. */
function derived(field: FieldName): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(accepts[field], { io: 'input', unrepresentable: 'any' });
  return (schema.type === 'number' ? { ...schema, ...anyNumber } : { ...schema, ...lengthOf(field) }) as Schema;
}

const common = (field: FieldName): Schema => ({
  description: descriptions[field],
  ...derived(field),
  ...patternOf(field),
});

const sentMetadata = {
  description: descriptions.metadata,
  anyOf: [reference('schemas', 'MetadataChanges'), { type: 'null' }],
};

export const sentFields = byName(fieldNames, (field) => (field === 'metadata' ? sentMetadata : common(field)));

function shown(field: FieldName): Schema {
  const row = fields[field];
  if (field === 'active') return { description: descriptions.active, type: 'boolean' };
  if (field === 'metadata') return reference('schemas', 'Metadata');
  if (!('permission' in row)) return common(field);
  const restriction = `Omitted if the token does not have the permission \`${row.permission}\`.`;
  return { ...common(field), description: `${descriptions[field]} ${restriction}` };
}

export const shownFields = byName(fieldNames, shown);
