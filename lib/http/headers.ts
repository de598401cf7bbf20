/** What pages of other origins may send. The last five are ignored, but a browser would block libraries that send them. */
export const allowedHeaders = [
  'authorization',
  'content-encoding',
  'content-type',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'baggage',
  'sentry-trace',
  'traceparent',
  'tracestate',
] as const;

/** Request headers that the functions read or that pages may send. */
export type RequestHeader = (typeof allowedHeaders)[number] | 'origin';

/** Response headers that the functions and the gateway set. */
export type ResponseHeader =
  | 'access-control-allow-origin'
  | 'access-control-expose-headers'
  | 'allow'
  | 'cache-control'
  | 'content-type'
  | 'etag'
  | 'idempotency-replayed'
  | 'location'
  | 'retry-after'
  | 'vary'
  | 'www-authenticate'
  | 'x-content-type-options'
  | 'x-request-id';

export type ResponseHeaders = Readonly<Partial<Record<ResponseHeader, string>>>;

/** The headers of an event, in the two forms that API Gateway sends. */
interface Headers {
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, unknown>> | null;
}

/** All values of a request header, whose name is matched case-insensitively. The header may be sent more than once. */
export function headerValues(event: Headers, name: RequestHeader): string[] {
  const values = (headers: Headers['headers']) =>
    Object.keys(headers ?? {})
      .filter((key) => key.length === name.length && key.toLowerCase() === name)
      .map((key) => headers?.[key]);
  const multiple = values(event.multiValueHeaders).flat();
  const sent = multiple.length > 0 ? multiple : values(event.headers);
  return sent.filter((value) => typeof value === 'string');
}

/** Headers of every response, including the gateway's own. */
export const commonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const satisfies ResponseHeaders;

/** Extra headers by status, telling the client to authenticate or to retry after some seconds. */
export const headersOfStatus: Readonly<Record<number, ResponseHeaders>> = {
  // RFC 6750, section 3. The gateway cannot tell a missing token from a refused one.
  401: { 'www-authenticate': 'Bearer error="invalid_token"' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
};

const exposedHeaders = [
  'etag',
  'idempotency-replayed',
  'location',
  'retry-after',
  'x-request-id',
] as const satisfies ResponseHeader[];

/** Allows any origin. That is safe, because the API uses no cookies and an origin alone grants no access. */
export const anyOrigin = '*';

/** The headers that let a browser page read a response. @param allowed origins, or {@link anyOrigin} alone */
export function corsHeaders(allowed: readonly string[], origin: string | undefined): ResponseHeaders {
  if (allowed.includes(anyOrigin)) return exposing(anyOrigin);
  const vary = { vary: 'origin' };
  return origin !== undefined && allowed.includes(origin) ? { ...exposing(origin), ...vary } : vary;
}

const exposing = (origin: string) => ({
  'access-control-allow-origin': origin,
  'access-control-expose-headers': exposedHeaders.join(),
});
