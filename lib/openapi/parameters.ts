import type { listParameters } from '../http/listParameters.ts';
import { idempotencyKeyForm } from '../http/requestParts.ts';
import { byName, fields, type IdentifierName, identifierNames, itemTypes } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { itemId, type Schema, time } from './schema.ts';

/** A strong entity tag in ASCII. The service accepts other tags too, but they never match a revision. */
const tag = '"[!#-~]*"';

const cursor: Schema = { type: 'string', minLength: 1 };

function identifierParameter(name: IdentifierName) {
  const others = identifierNames.filter((other) => other !== name).map((other) => `\`${other}\``);
  return {
    description: `Returns only the item with this \`${name}\`. Cannot be combined with ${others.join(', ')}, \`search\` or \`cursor\`.`,
    schema: { type: 'string', maxLength: fields[name].limits.max },
  };
}

/** Descriptions and schemas of the query parameters, which are all sent as text. Their rules are in `listParameters`. */
const queryObjects: Readonly<
  Record<keyof typeof listParameters, { description: string; schema: Schema; explode?: false }>
> = {
  include_inactive: {
    description: 'Whether to include inactive items. Defaults to `false`.',
    schema: { type: 'boolean' },
  },
  active: {
    description: 'Returns only active or only inactive items. Cannot be combined with `include_inactive`.',
    schema: { type: 'boolean' },
  },
  category: { description: 'Returns only items of the category with this id.', schema: itemId },
  type: {
    description: 'Returns only products or only services.',
    schema: { type: 'string', enum: itemTypes },
  },
  search: {
    description: 'Returns only items whose name begins with this text. Case, accents and extra spaces are ignored.',
    schema: { type: 'string', maxLength: limits.search.max },
  },
  ...byName(identifierNames, identifierParameter),
  order: {
    description: 'The order of the names, ascending by default.',
    schema: { type: 'string', enum: ['asc', 'desc'] },
  },
  limit: {
    description: `Page size, ${limits.page.min} to ${limits.page.max}. Defaults to ${limits.page.default}.`,
    schema: { type: 'integer', minimum: limits.page.min, maximum: limits.page.max, default: limits.page.default },
  },
  ids: {
    description: `Returns only the items with these ids, in this order, inactive ones included. Missing ones are left out. Separated by commas, or sent as several parameters. Can only be combined with \`cursor\`; \`limit\` has no effect.`,
    explode: false,
    schema: { type: 'array', minItems: 1, maxItems: limits.page.max, items: itemId },
  },
  cursor: {
    description: 'The `next_cursor` of the previous page. The other parameters must stay the same.',
    schema: cursor,
  },
};

/** The parameters of a list. They are no components, because generators would take `category` for the schema `Category`. */
export const queryParameters = Object.entries(queryObjects).map(([name, documented]) => ({
  name,
  in: 'query',
  ...documented,
}));

const pathId = { name: 'id', in: 'path', required: true };

/** By component name. Optional ones have no example, because pages for trying the API would send it. */
export const parameters = {
  ItemId: { ...pathId, description: 'The item’s id.', schema: itemId, example: 1 },
  CategoryId: { ...pathId, description: 'The category’s id.', schema: itemId, example: 1 },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to retry. If it is sent again with the same key and body, a create returns the first response again, and an update changes nothing and returns the item as it is now. The key has 1 to 255 visible ASCII characters, optionally in double quotes. It is remembered for 24 hours for each user. For updates, each item remembers its last four keys.',
    schema: { type: 'string', pattern: idempotencyKeyForm.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'One or more `ETag` values of the item, or `*` for any revision. The item is updated only if it is still at one of these revisions.',
    schema: { type: 'string', pattern: String.raw`^(\*|${tag}( *, *${tag})*)$` },
  },
  ChangesCursor: {
    name: 'cursor',
    in: 'query',
    description: 'The `next_cursor` of the previous page.',
    schema: cursor,
  },
  ChangesFrom: {
    name: 'from',
    in: 'query',
    description: 'Begins with what was recorded at this time or later. Cannot be combined with `cursor`.',
    schema: time,
  },
  ChangesLimit: { name: 'limit', in: 'query', ...queryObjects.limit },
} satisfies Readonly<Record<string, Schema>>;

/** `listParameters` stands for all of {@link queryParameters}. */
export type ParameterName = keyof typeof parameters | 'listParameters';
