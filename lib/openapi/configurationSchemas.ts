import { limits } from '../item/limits.ts';
import { sentFields } from './fieldSchemas.ts';
import { objectSchema, reference, type Schema } from './schema.ts';

const name: Schema = {
  description:
    'The name of the category, with a visible character, without control characters and without spaces around it.',
  type: 'string',
  minLength: 1,
  maxLength: limits.categoryName.max,
};

const defaults = {
  category: { ...sentFields.category, description: 'The category of a new item that names none. Null means none.' },
  tax: { ...sentFields.tax, description: 'The tax of a new item that names none.' },
};

const changes = (properties: Readonly<Record<string, Schema>>): Schema => ({
  description: 'What to change, at least one. The rest stays as it is. Other members are ignored.',
  type: 'object',
  minProperties: 1,
  properties,
});

const response = (data: Schema): Schema => objectSchema({ data });

export const configurationSchemas = {
  NewCategory: objectSchema({ name }),
  CategoryChanges: changes({ name, archived: { type: 'boolean' } }),
  CategoryResponse: response(reference('schemas', 'Category')),
  UnitResponse: response(reference('schemas', 'Unit')),
  DefaultsChanges: changes(defaults),
  DefaultsResponse: response(objectSchema(defaults)),
} satisfies Readonly<Record<string, Schema>>;
