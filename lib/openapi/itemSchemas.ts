import * as z from 'zod/mini';
import { accepts } from '../item/accepts.ts';
import { defaultUnit } from '../item/account.ts';
import { byName, type FieldName, fieldNames, fields } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { controlCharacters } from '../item/text.ts';
import { defaults } from './examples.ts';
import { anyNumber, describedObject, itemId, objectSchema, reference, type Schema, time } from './schema.ts';

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

/** For fields whose default depends on the account or the item's type, or that have none. */
const dependentDefaults: Partial<Record<FieldName, string>> = {
  name: 'Required.',
  category: 'Defaults to the account’s default category.',
  unit: `Defaults to \`${defaultUnit.product}\` for a product and \`${defaultUnit.service}\` for a service.`,
  tax: 'Defaults to the account’s default tax.',
};

/** Not as `default`, which client generators take to mean that the value is always present. */
const withDefault = (field: FieldName): Schema => {
  const value = defaults[field];
  const note =
    dependentDefaults[field] ?? `Defaults to \`${typeof value === 'string' ? value : JSON.stringify(value)}\`.`;
  return { ...sentFields[field], description: `${sentFields[field]['description']} ${note}` };
};

const { name, type, category, ...others } = shownFields;

export const lastWriteSchemas = {
  revision: {
    description: 'How often the item was written: 1 when created. `"1"` is its `ETag`, for `If-Match`.',
    type: 'integer',
    minimum: 1,
  },
  updated_at: {
    description: 'When the item was last written, in UTC, to the second.',
    ...time,
  },
  updated_by: { description: 'The user who last wrote the item, as in the token.', type: 'string' },
} satisfies Readonly<Record<string, Schema>>;

export const itemSchemas = {
  /** In the order of spec table 2.1, and ours after them. */
  Item: describedObject(
    'A product or a service.',
    {
      id: itemId,
      name,
      type,
      category,
      category_name: {
        description: 'The name of the category. Null if the item has no category.',
        type: ['string', 'null'],
      },
      ...others,
      create_date: {
        description: 'When the item was created, in UTC, to the second.',
        ...time,
      },
      ...lastWriteSchemas,
    },
    { optional: fieldNames.filter((field) => 'permission' in fields[field]) },
  ),

  NewItem: describedObject(
    'A new item. Other members are ignored.',
    Object.fromEntries(fieldNames.map((field) => [field, withDefault(field)])),
    { optional: fieldNames.filter((field) => field !== 'name') },
  ),

  ItemChanges: {
    description: 'The fields to update, at least one. Omitted fields keep their values. Other members are ignored.',
    type: 'object',
    minProperties: 1,
    properties: sentFields,
  },

  ItemResponse: objectSchema({ data: reference('schemas', 'Item') }),
} satisfies Readonly<Record<string, Schema>>;

const { keyLength, number, ...bounds } = limits.metadata;

const key: Schema = { minLength: keyLength.min, maxLength: keyLength.max, not: { const: '__proto__' } };
const value = reference('schemas', 'MetadataValue');
const metadata: Schema = { type: 'object', propertyNames: key, additionalProperties: value };

export const metadataSchemas = {
  Metadata: {
    ...metadata,
    description: 'Custom fields, sorted by key.',
    maxProperties: bounds.keysStored,
  },
  MetadataChanges: {
    ...metadata,
    description: `Custom fields to set, or to remove by sending null. At most ${bounds.valuesPerRequest} values on all levels, at most ${bounds.valuesPerKey} of them under one key, and at most ${bounds.levels} levels, including this object.`,
    maxProperties: bounds.keysPerRequest,
  },
  /** Only described, because a schema that contains itself makes several client generators fail or leave out every item. */
  MetadataValue: {
    description: `Any JSON value. At every level, numbers are 0 or from ${number.min} to ${number.max} in magnitude, strings have at most ${bounds.stringLength} characters, and keys have ${keyLength.min} to ${keyLength.max} characters and are not \`__proto__\`.`,
  },
} satisfies Readonly<Record<string, Schema>>;
