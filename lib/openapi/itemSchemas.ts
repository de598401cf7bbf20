import { defaultUnit } from '../item/account.ts';
import { type FieldName, fieldNames, fields } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { defaults } from './examples.ts';
import { sentFields, shownFields } from './fieldSchemas.ts';
import { describedObject, itemId, objectSchema, reference, type Schema, time } from './schema.ts';

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
