import type { ResponseHeader, ResponseHeaders } from './headers.ts';

const exposedHeaders = [
  'etag',
  'idempotency-replayed',
  'location',
  'retry-after',
  'x-request-id',
] as const satisfies ResponseHeader[];

/** Allows any origin. That is safe, because the API uses no cookies and an origin alone grants no access. */
export const anyOrigin = '*';

/**
 * The headers that let a browser page read a response.
 * @param allowed the origins whose pages may call the API, or {@link anyOrigin} alone
 * @param origin the request's `Origin`; undefined if it has none
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
