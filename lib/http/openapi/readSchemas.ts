import { permissions } from '../../access/permissions.ts';
import { maxUnitDecimals } from '../../item/account.ts';
import { limits } from '../../item/limits.ts';
import { presentedLimits } from '../catalogPresenter.ts';
import { shownFields } from './fieldSchemas.ts';
import { anyNumber, itemId, objectSchema, reference, type Schema } from './schema.ts';

const listOf = (name: string): Schema => ({ type: 'array', items: reference('schemas', name) });

const { name: _, ...defaultedFields } = shownFields;

const defaults = objectSchema(defaultedFields, {
  description: 'What a create takes for the fields that it leaves out.',
});

const category = objectSchema(
  { id: itemId, name: { type: 'string' }, archived: { type: 'boolean' } },
  { description: 'An archived category stays on its items, but cannot be chosen.' },
);

const unit = objectSchema({
  unit: { type: 'string', maxLength: limits.unit.max },
  decimals: {
    description: 'How many decimals `qty` is rounded to.',
    type: 'integer',
    minimum: 0,
    maximum: maxUnitDecimals,
  },
});

interface Limits {
  readonly [name: string]: number | Limits;
}

const limitsSchema = (all: Limits): Schema =>
  objectSchema(
    Object.fromEntries(
      Object.entries(all).map(([name, limit]) => [name, typeof limit === 'number' ? anyNumber : limitsSchema(limit)]),
    ),
  );

const catalog = objectSchema(
  {
    categories: listOf('Category'),
    units: listOf('Unit'),
    defaults: objectSchema({
      product: reference('schemas', 'ItemDefaults'),
      service: reference('schemas', 'ItemDefaults'),
    }),
    limits: {
      description: 'The limits as the service checks them, by field or parameter.',
      ...limitsSchema(presentedLimits),
    },
    permissions: {
      description: 'What the token permits.',
      type: 'array',
      items: { type: 'string', enum: permissions },
    },
    account: { description: 'The account that the token belongs to.', type: 'string' },
    user: { description: 'The user of this account that the token belongs to.', type: 'string' },
  },
  { description: 'What a form for an item is made from.' },
);

/** The response schemas of the read operations. */
export const readSchemas = {
  ItemList: objectSchema(
    {
      data: { ...listOf('Item'), maxItems: limits.page.max },
      next_cursor: { description: 'Null: there are no more pages.', type: ['string', 'null'] },
    },
    { description: 'A page of items. It may be shorter than its limit; only a null `next_cursor` ends the list.' },
  ),
  Category: category,
  Unit: unit,
  ItemDefaults: defaults,
  Catalog: catalog,
  CatalogResponse: objectSchema({ data: reference('schemas', 'Catalog') }),
} satisfies Readonly<Record<string, Schema>>;
