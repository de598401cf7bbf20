import type { ResponseHeader } from '../headers.ts';
import { commonHeaders, headersOfStatus } from '../headers.ts';
import { reference, type Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const constant = (value: string): Schema => ({ type: 'string', const: value });
const always = { required: true };

/**
 * OpenAPI tells the content type elsewhere, and one header arrives under two names. `Allow` answers a method that is no
 * operation, which no document describes.
 */
export type HeaderName = Exclude<ResponseHeader, 'allow' | 'content-type'> | 'x-amzn-remapped-www-authenticate';

/** Every header of every response. Those with `required` are in each response that lists them. */
export const headers = {
  'x-request-id': { ...always, description: 'Names the request in the service’s log.', schema: text },
  'cache-control': { ...always, schema: constant(commonHeaders['cache-control']) },
  'x-content-type-options': { ...always, schema: constant(commonHeaders['x-content-type-options']) },
  'access-control-allow-origin': { description: 'To pages of the allowed origins.', schema: text },
  'access-control-expose-headers': { schema: text },
  vary: { description: 'Where not every origin is allowed.', schema: constant('origin') },
  etag: {
    ...always,
    description: 'The item’s revision, for `If-Match`.',
    schema: { type: 'string', pattern: '^"[1-9][0-9]*"$' },
    example: '"1"',
  },
  location: { ...always, description: 'The path of the item.', schema: { type: 'string', format: 'uri-reference' } },
  'idempotency-replayed': {
    description: 'The answer is that of the first request with this `Idempotency-Key`.',
    schema: constant('true'),
  },
  'www-authenticate': {
    description: 'From the gateway.',
    schema: constant(headersOfStatus[401]?.['www-authenticate'] ?? ''),
  },
  'x-amzn-remapped-www-authenticate': {
    description: 'The same from a function, as API Gateway renames it.',
    schema: constant(headersOfStatus[401]?.['www-authenticate'] ?? ''),
  },
  'retry-after': {
    ...always,
    description: 'The seconds to wait before the same request is sent again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: headersOfStatus[503]?.['retry-after'] ?? '',
  },
} satisfies Readonly<Record<HeaderName, Schema>>;

const ofEvery = [
  'x-request-id',
  'cache-control',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'vary',
] as const satisfies readonly HeaderName[];

/** The names under which a header of {@link headersOfStatus} arrives. */
const arriving: Readonly<Record<string, readonly HeaderName[]>> = {
  'www-authenticate': ['www-authenticate', 'x-amzn-remapped-www-authenticate'],
  'retry-after': ['retry-after'],
};

/**
 * The headers of a response.
 * @param own those that not every response of the status has
 */
export function responseHeaders(status: number, own: readonly HeaderName[] = []): Schema {
  const ofStatus = Object.keys(headersOfStatus[status] ?? {}).flatMap((name) => arriving[name] ?? []);
  return Object.fromEntries(
    [...ofEvery, ...ofStatus, ...own].map((name) => [name, reference('headers', name)] as const),
  );
}
