import type { FieldName } from '../../item/limits.ts';
import { fieldNames } from '../../item/limits.ts';
import { defaults } from './examples.ts';
import { sentFields, shownFields } from './fieldSchemas.ts';
import { itemId, objectSchema, reference, type Schema } from './schema.ts';

/** For fields whose default depends on the account or the item's type, or that have none. */
const dependentDefaults: Partial<Record<FieldName, string>> = {
  name: 'Required.',
  category: 'Left out: the account’s default category.',
  unit: 'Left out: `un` for a product, `hour` for a service.',
  tax: 'Left out: the account’s default tax.',
};

/**
 * Defaults go into the description, not into `default`, because client generators take `default` to mean that the value
 * is always present.
 */
const withDefault = (field: FieldName): Schema => {
  const note = dependentDefaults[field] ?? `Left out: \`${JSON.stringify(defaults[field])}\`.`;
  return { ...sentFields[field], description: `${sentFields[field]['description']} ${note}` };
};

const newItem = objectSchema(Object.fromEntries(fieldNames.map((field) => [field, withDefault(field)])), {
  optional: fieldNames.filter((field) => field !== 'name'),
  description: 'Other members are ignored.',
});

const itemChanges: Schema = {
  description: 'At least one of these fields. Those that are not sent keep their values. Other members are ignored.',
  type: 'object',
  minProperties: 1,
  properties: sentFields,
};

const { name, type, category, ...others } = shownFields;

/** In the order of spec table 2.1. */
const item = objectSchema(
  {
    id: itemId,
    name,
    type,
    category,
    category_name: { type: ['string', 'null'] },
    ...others,
    create_date: { description: 'In UTC, to the second.', type: 'string', format: 'date-time' },
  },
  { optional: ['cost'], description: 'A product or a service.' },
);

const itemResponse = objectSchema({ data: reference('schemas', 'Item') });

export const itemSchemas = {
  Item: item,
  NewItem: newItem,
  ItemChanges: itemChanges,
  ItemResponse: itemResponse,
} satisfies Readonly<Record<string, Schema>>;
