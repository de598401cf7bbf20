import { permissions } from '../access/caller.ts';
import { changeKinds } from '../changes/recordedChange.ts';
import { presentedLimits } from '../http/getCatalogHandler.ts';
import { maxUnitDecimals } from '../item/account.ts';
import { fieldNames } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { lastWriteSchemas, sentFields, shownFields } from './itemSchemas.ts';
import { anyNumber, describedObject, itemId, listOf, objectSchema, reference, type Schema, time } from './schema.ts';

const { name: _, ...defaultedFields } = shownFields;

interface Limits {
  readonly [name: string]: number | Limits;
}

const limitsSchema = (all: Limits): Schema =>
  objectSchema(
    Object.fromEntries(
      Object.entries(all).map(([name, limit]) => [name, typeof limit === 'number' ? anyNumber : limitsSchema(limit)]),
    ),
  );

const nextPage = {
  description: 'Send it as `cursor` to get the next page. Null on the last page.',
  type: ['string', 'null'],
} satisfies Schema;

export const readSchemas = {
  ItemList: describedObject(
    'A page of items. It can be shorter than its limit without being the last. Only a null `next_cursor` marks the end of the list.',
    {
      data: { ...listOf('Item'), maxItems: limits.page.max },
      next_cursor: nextPage,
    },
  ),
  ChangeList: describedObject('A page of changes, oldest first. It is empty if nothing has changed since.', {
    data: { ...listOf('Change'), maxItems: limits.page.max },
    next_cursor: { description: 'Send it as `cursor` to get what follows, now or later.', type: 'string' },
    has_more: { description: 'Whether more may follow at once, also after a short page.', type: 'boolean' },
    read_at: { description: 'When the page was read, by the service’s clock.', ...time },
  }),
  ItemChangeList: describedObject('A page of changes, newest first. Only a null `next_cursor` marks the end.', {
    data: { ...listOf('Change'), maxItems: limits.page.max },
    next_cursor: nextPage,
  }),

  Change: describedObject('What one write changed in an item. One that was removed is shown with its last revision.', {
    number: {
      description: 'The position among the account’s changes. The next change has the next number.',
      type: 'integer',
    },
    item: itemId,
    kind: { description: 'What happened to the item.', type: 'string', enum: changeKinds },
    ...lastWriteSchemas,
    recorded_at: {
      description: 'When the change was recorded. Rises with the numbers. Null for changes from before this was kept.',
      type: ['string', 'null'],
      format: 'date-time',
    },
    fields: { description: 'What has changed, except what the token may not see.', ...listOf('FieldChange') },
  }),

  FieldChange: describedObject(
    'What became of a field, or of a key of `metadata`.',
    {
      field: { type: 'string', enum: fieldNames },
      path: { description: 'The key of `metadata`, as a JSON Pointer (RFC 6901).', type: 'string' },
      from: {
        description: 'The value before. Null if there was none. Omitted, like `to`, if the change is too large.',
      },
      to: { description: 'The value after. Null if there is none.' },
    },
    { optional: ['path', 'from', 'to'] },
  ),

  Category: describedObject(
    'A category of the account. Items keep a category that is archived, but it can no longer be chosen.',
    { id: itemId, name: { type: 'string' }, archived: { type: 'boolean' } },
  ),

  Unit: objectSchema({
    unit: { type: 'string', minLength: 1, maxLength: limits.unit.max },
    decimals: {
      description: 'The number of decimals that `qty` is rounded to.',
      type: 'integer',
      minimum: 0,
      maximum: maxUnitDecimals,
    },
  }),

  ItemDefaults: describedObject('The values that a new item gets for omitted fields.', defaultedFields),

  Catalog: describedObject('The data needed to build an item form.', {
    categories: listOf('Category'),
    units: listOf('Unit'),
    defaults: objectSchema({
      product: reference('schemas', 'ItemDefaults'),
      service: reference('schemas', 'ItemDefaults'),
    }),
    limits: {
      description: 'The limits that the service enforces, by field or parameter.',
      ...limitsSchema(presentedLimits),
    },
    permissions: {
      description: 'The permissions of the token. Later versions can add permissions.',
      type: 'array',
      items: { type: 'string', 'x-extensible-enum': permissions },
    },
    account: { description: 'The account that the token belongs to.', type: 'string' },
    user: { description: 'The user that the token belongs to.', type: 'string' },
  }),
  CatalogResponse: objectSchema({ data: reference('schemas', 'Catalog') }),
} satisfies Readonly<Record<string, Schema>>;

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
