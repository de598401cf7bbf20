import { defaultUnit } from '../item/account.ts';
import { type FieldName, fieldNames, fields } from '../item/fields.ts';
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

/**
 * Defaults go into the description, not into `default`, because client generators take `default` to mean that the value
 * is always present.
 */
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
