import type { ResponseHeader } from '../headers.ts';
import { commonHeaders, headersOfStatus } from '../headers.ts';
import { reference, type Schema } from './schema.ts';

const text: Schema = { type: 'string' };
const constant = (value: string): Schema => ({ type: 'string', const: value });
const always = { required: true };

/**
 * OpenAPI declares the content type elsewhere, and one header has two possible names. `Allow` is only sent in response
 * to an unknown method, which an OpenAPI document cannot describe.
 */
export type HeaderName = Exclude<ResponseHeader, 'allow' | 'content-type'> | 'x-amzn-remapped-www-authenticate';

/** Every response header. A header with `required` is always present in the responses that list it. */
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

const commonHeaderNames = [
  'x-request-id',
  'cache-control',
  'x-content-type-options',
  'access-control-allow-origin',
  'access-control-expose-headers',
  'vary',
] as const satisfies readonly HeaderName[];

/** The names under which clients receive a header of {@link headersOfStatus}. */
const receivedNames: Readonly<Record<string, readonly HeaderName[]>> = {
  'www-authenticate': ['www-authenticate', 'x-amzn-remapped-www-authenticate'],
  'retry-after': ['retry-after'],
};

/**
 * References to the headers of a response.
 * @param own headers that are specific to this response
 */
export function responseHeaders(status: number, own: readonly HeaderName[] = []): Schema {
  const ofStatus = Object.keys(headersOfStatus[status] ?? {}).flatMap((name) => receivedNames[name] ?? []);
  return Object.fromEntries(
    [...commonHeaderNames, ...ofStatus, ...own].map((name) => [name, reference('headers', name)] as const),
  );
}
