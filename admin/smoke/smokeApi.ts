import { type ErrorCode, errors } from '../../lib/item/errors.ts';

/** A response, as checks see it. */
export interface SmokeResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body, or its text if it is not JSON; undefined if there is none. */
  readonly body: unknown;
}

/** The API did not respond as expected. The message continues a sentence that starts with the check's name. */
export class SmokeFailure extends Error {
  /** Whether the checks that follow would only fail for the same reason. */
  readonly isFinal: boolean;

  /** @param response undefined if there was none */
  constructor(message: string, response: SmokeResponse | undefined, isFinal = response === undefined) {
    const requestId = response?.headers.get('x-request-id');
    super(requestId ? `${message} (request id ${requestId})` : message);
    this.isFinal = isFinal;
  }
}

export interface SmokeRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, and bytes unchanged. */
  readonly body?: object | Buffer;
}

/** Sends a request to what is checked. @throws SmokeFailure if there is no response */
export type Send = (request: SmokeRequest) => Promise<SmokeResponse>;

/**
 * Sends requests to the API at an address.
 * @param timeout for a response, in milliseconds. By default longer than the gateway waits for a function
 */
export const publicApi =
  (url: string, timeout = 30_000): Send =>
  async ({ method, path, token, headers, body }) => {
    const sent = {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(url.replace(/\/$/, '') + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(timeout),
      });
      return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
    } catch (error) {
      throw new SmokeFailure(`failed: ${whyFetchFailed(error)}`, undefined);
    }
  };

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** `fetch` only says that it failed. The reason, such as an expired certificate, is in the error's cause. */
function whyFetchFailed(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}

/** @throws SmokeFailure unless the response is this error in the API's format, with a request id */
export function expectError(response: SmokeResponse, code: ErrorCode): void {
  expectStatus(response, errors[code].status);
  const expected = JSON.stringify({ error: { message: errors[code].message, code } });
  const got = JSON.stringify(response.body);
  if (got !== expected) throw new SmokeFailure(`got ${got}, not ${expected}`, response);
}

/** @throws SmokeFailure unless the response has one of these statuses and a request id */
export function expectStatus(response: SmokeResponse, ...expected: readonly number[]): void {
  const { status, body, headers } = response;
  if (!expected.includes(status)) {
    const message = `got ${status} ${JSON.stringify(body) ?? ''} instead of ${expected.join(' or ')}`;
    // A token that one request was refused for is refused for all.
    throw new SmokeFailure(message, response, status === errors.UNAUTHORIZED.status);
  }
  if (!headers.get('x-request-id')) throw new SmokeFailure('got no x-request-id', response);
}
