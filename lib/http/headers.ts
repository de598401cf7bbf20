/** The request headers that the functions read. Every name of a header is checked against this type and the next. */
export type RequestHeader =
  | 'authorization'
  | 'content-encoding'
  | 'content-type'
  | 'idempotency-key'
  | 'if-match'
  | 'origin';

/** The response headers that the functions and the gateway set. */
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

/** The headers of an event, in both forms in which API Gateway passes them on. */
interface Headers {
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, unknown>> | null;
}

/** All values of a request header, whatever the case of its name and however often it was sent. */
export function headerValues(event: Headers, name: RequestHeader): string[] {
  const values = (headers: Headers['headers']) =>
    Object.keys(headers ?? {})
      .filter((key) => key.length === name.length && key.toLowerCase() === name)
      .map((key) => headers?.[key]);
  const multiple = values(event.multiValueHeaders).flat();
  const sent = multiple.length > 0 ? multiple : values(event.headers);
  return sent.filter((value) => typeof value === 'string');
}

/** Headers of every response; the gateway's own responses carry them too. */
export const commonHeaders = {
  'content-type': 'application/json',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
} as const satisfies ResponseHeaders;

/** Further headers by status, which tell clients what to do: authenticate, or try again after so many seconds. */
export const headersOfStatus: Readonly<Record<number, ResponseHeaders>> = {
  401: { 'www-authenticate': 'Bearer' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
};
