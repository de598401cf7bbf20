import type { RequestHeader, ResponseHeader, ResponseHeaders } from './headers.ts';

/** The request headers that a page from another origin may send. */
export const allowedHeaders = [
  'authorization',
  'content-type',
  'idempotency-key',
  'if-match',
] as const satisfies RequestHeader[];

/** The response headers that a page from another origin may read. */
export const exposedHeaders = [
  'etag',
  'idempotency-replayed',
  'location',
  'retry-after',
  'x-request-id',
] as const satisfies ResponseHeader[];

/** Stands for any origin. The API takes no cookies, so that an origin by itself gives no access. */
export const anyOrigin = '*';

/**
 * The headers by which a browser lets a page read a response.
 * @param allowed the origins whose pages may call the API, or {@link anyOrigin} alone
 * @param origin the request's `Origin`; undefined when it has none
 */
export function corsHeaders(allowed: readonly string[], origin: string | undefined): ResponseHeaders {
  if (allowed.includes(anyOrigin)) return exposing(anyOrigin);
  const vary = { vary: 'origin' };
  return origin !== undefined && allowed.includes(origin) ? { ...exposing(origin), ...vary } : vary;
}

const exposing = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposedHeaders.join(),
});
