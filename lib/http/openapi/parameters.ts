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
  limit: { type: 'integer', minimum: limits.page.min, maximum: limits.page.max, default: limits.page.default },
  cursor: { type: 'string', minLength: 1 },
} as const satisfies Readonly<Record<keyof typeof listParameters, Schema>>;

/** The parameters of a list. They are no components, because generators would take `category` for the schema `Category`. */
export const queryParameters: readonly Schema[] = Object.entries(querySchemas).map(([name, schema]) => ({
  name,
  in: 'query',
  description: listParameters[name as keyof typeof querySchemas].description,
  schema,
}));

/**
 * The parameters in paths and headers, by component name. Optional parameters have no example, because pages for trying
 * the API would send it.
 */
export const parameters = {
  ItemId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The item’s id.',
    schema: itemId,
    example: 1,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat. If it is sent again with the same key and body, a create returns the first response again, and an update changes nothing and returns the item as it is now. 1 to 255 visible ASCII characters, optionally in quotes. Each user’s keys are remembered for 24 hours. For updates, each item remembers the last four keys.',
    schema: { type: 'string', pattern: idempotencyKeyForm.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'One or more `ETag` values of the item. The item is updated only if it is still at one of these revisions. `*` matches any revision.',
    schema: { type: 'string', pattern: String.raw`^(\*|${tag}( *, *${tag})*)$` },
  },
} satisfies Readonly<Record<string, Schema>>;

/** `listParameters` stands for all of {@link queryParameters}. */
export type ParameterName = keyof typeof parameters | 'listParameters';
