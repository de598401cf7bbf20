/** The headers of every response to a request of the id `request-1`, where pages of any origin may call the API. */
export const responseHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'x-request-id': 'request-1',
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag,idempotency-replayed,location,retry-after,x-request-id',
} as const;
