import { limits } from '../../item/limits.ts';
import { idempotencyKeyForm } from '../idempotencyKey.ts';
import { listParameters } from '../listParameters.ts';
import { sentFields } from './fieldSchemas.ts';
import { itemId, type Schema } from './schema.ts';

/** A strong entity tag in ASCII. The service accepts other tags too, but they never match a revision. */
const tag = '"[!#-~]*"';

const identifier: Schema = { type: 'string', maxLength: limits.identifier.max };

/** Schemas of the query parameters, which are all sent as text. Their validation rules are in `listParameters`. */
const querySchemas = {
  include_inactive: { type: 'boolean' },
  category: itemId,
  type: { type: 'string', enum: sentFields.type['enum'] ?? [] },
  search: { type: 'string', maxLength: limits.search.max },
  sku: identifier,
  pn: identifier,
  limit: { type: 'integer', minimum: limits.page.min, maximum: limits.page.max },
  cursor: { type: 'string' },
} as const satisfies Readonly<Record<keyof typeof listParameters, Schema>>;

type QueryName = keyof typeof querySchemas;

/** The parameters of a list, by name. */
function queryParameters(): Record<QueryName, Schema> {
  const names = Object.keys(querySchemas) as QueryName[];
  const all = names.map((name) => {
    const { description } = listParameters[name];
    return [name, { name, in: 'query', description, schema: querySchemas[name] }];
  });
  return Object.fromEntries(all);
}

/**
 * Every parameter of every operation, by component name. Optional parameters have no example, because pages for trying
 * the API would send it.
 */
export const parameters = {
  ItemId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the item.',
    schema: itemId,
    example: 1,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the create safe to repeat: the same key with the same body answers the first 201 again. 1 to 255 visible ASCII characters, bare or in quotes; kept for 24 hours per account and user.',
    schema: { type: 'string', pattern: idempotencyKeyForm.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The item’s last `ETag`: the update is done only if the item is still at that revision. `*`: any.',
    schema: { type: 'string', pattern: String.raw`^(\*|${tag}( *, *${tag})*)$` },
  },
  ...queryParameters(),
} satisfies Readonly<Record<string, Schema>>;

export type ParameterName = keyof typeof parameters;
