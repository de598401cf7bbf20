import * as z from 'zod/mini';
import { fields } from '../../item/fields.ts';
import type { FieldName } from '../../item/limits.ts';
import { fieldNames, limits } from '../../item/limits.ts';
import { controlCharacters } from '../../item/text.ts';
import { anyNumber, reference, type Schema } from './schema.ts';

const line = `[^${controlCharacters}]*`;
const identifier = { maxLength: limits.identifier.max, pattern: `^${line}$` };

/**
 * The bounds that Zod checks with functions, so they cannot be derived from the schema. Visible and format characters
 * are described in words, because few languages' regular expressions support their classes and the others reject the
 * whole pattern.
 */
const bounds: Partial<Record<FieldName, Schema>> = {
  name: {
    minLength: limits.name.min,
    maxLength: limits.name.max,
    pattern: String.raw`^${line}[^\s${controlCharacters}]${line}$`,
  },
  unit: { maxLength: limits.unit.max },
  description: { maxLength: limits.description.max },
  sku: identifier,
  pn: identifier,
  tag: { maxLength: limits.tag.max },
};

const descriptions: Readonly<Record<FieldName, string>> = {
  name: 'What the item is called. At least one of its characters must be visible.',
  type: 'Whether the item is a product or a service.',
  category: 'The id of one of the account’s categories. Null: none.',
  value: `The unit price, kept with ${limits.value.decimals} decimals.`,
  qty: 'The default quantity, rounded to the decimals of the unit.',
  unit: 'One of the account’s registered units.',
  description: 'Null: none.',
  active: 'Whether the item is listed.',
  cost: `What the item costs, kept with ${limits.cost.decimals} decimals.`,
  tax: `The tax amount, kept with ${limits.tax.decimals} decimals.`,
  sku: 'The SKU, unique in the account. No invisible characters. Null: none.',
  pn: 'The manufacturer’s part number, unique in the account. No invisible characters. Null: none.',
  tag: 'The item’s tags. Null: none.',
  metadata: 'Custom fields.',
};

/** The schema derived from Zod: type, choices, range, and whether the field may be null. */
function derived(field: FieldName): Schema {
  const { $schema: _, ...schema } = z.toJSONSchema(fields[field], { io: 'input', unrepresentable: 'any' });
  return { ...schema, ...(schema.type === 'number' && anyNumber) } as Schema;
}

const common = (field: FieldName): Schema => ({
  description: descriptions[field],
  ...derived(field),
  ...bounds[field],
});

const byName = (schemaOf: (field: FieldName) => Schema): Record<FieldName, Schema> =>
  Object.fromEntries(fieldNames.map((field) => [field, schemaOf(field)])) as Record<FieldName, Schema>;

const sentMetadata = {
  description:
    'Keys that are sent are merged into what is stored. A key sent with null is removed. Null changes nothing.',
  anyOf: [reference('schemas', 'MetadataChanges'), { type: 'null' }],
};

/** Schemas of the fields in requests. */
export const sentFields = byName((field) => (field === 'metadata' ? sentMetadata : common(field)));

const shown: Partial<Record<FieldName, Schema>> = {
  active: { description: descriptions.active, type: 'boolean' },
  cost: { ...common('cost'), description: `${descriptions.cost} Only for callers with \`catalog:cost:read\`.` },
  metadata: reference('schemas', 'Metadata'),
};

/** Schemas of the fields in responses. */
export const shownFields = byName((field) => shown[field] ?? common(field));
