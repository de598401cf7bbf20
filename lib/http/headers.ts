/** The headers of an event, in both forms in which API Gateway passes them on. */
interface Headers {
  readonly headers?: Readonly<Record<string, unknown>> | null;
  readonly multiValueHeaders?: Readonly<Record<string, unknown>> | null;
}

/**
 * All values of a request header, whatever the case of its name and however often it was sent.
 * @param name in lower case
 */
export function headerValues(event: Headers, name: string): string[] {
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
} as const;

/** What a response of a status carries besides, so that clients know what to do: authenticate, or try again after so many seconds. */
export const headersOfStatus: Readonly<Record<number, Readonly<Record<string, string>>>> = {
  401: { 'www-authenticate': 'Bearer' },
  429: { 'retry-after': '1' },
  503: { 'retry-after': '1' },
};
