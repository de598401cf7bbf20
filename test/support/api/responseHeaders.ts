/** The headers of every response to the request with the id `request-1`, if pages of any origin may call the API. */
export const responseHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag,idempotency-replayed,location,retry-after,x-request-id',
} as const;
