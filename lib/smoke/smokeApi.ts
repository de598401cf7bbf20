import { type ErrorCode, errors } from '../item/errors.ts';

/**
 * The API under test did not respond as expected. The message continues a sentence that starts with the check's name.
 */
export class SmokeFailure extends Error {}

/** A response, as checks see it. */
export interface SmokeResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body; undefined if there is none. */
  readonly body: unknown;
}

interface SmokeRequest {
  readonly method: string;
  readonly path: string;
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON, and bytes unchanged. */
  readonly body?: object | Buffer;
}

/** A client for the API under test. */
export class SmokeApi {
  readonly #url: string;
  readonly #timeout: number;

  /**
   * @param url base address, to which route paths are appended
   * @param timeout how long to wait for a response, in milliseconds. By default longer than the gateway waits for a
   * function.
   */
  constructor(url: string, timeout = 30_000) {
    this.#url = url.replace(/\/$/, '');
    this.#timeout = timeout;
  }

  /** @throws SmokeFailure if the API cannot be reached, or does not respond with JSON */
  async send({ method, path, token, headers, body }: SmokeRequest): Promise<SmokeResponse> {
    const sent = {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    };
    try {
      const response = await fetch(this.#url + path, {
        method,
        headers: sent,
        ...(body !== undefined && { body: Buffer.isBuffer(body) ? body : JSON.stringify(body) }),
        signal: AbortSignal.timeout(this.#timeout),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
    } catch (error) {
      throw new SmokeFailure(`failed: ${reasonOf(error)}`);
    }
  }
}

/** `fetch` only says that it failed. The reason, such as an expired certificate, is in the error's cause. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message || String((cause as NodeJS.ErrnoException).code) : message;
}

/** @throws SmokeFailure unless the response is this error in the API's format, with a request id */
export function expectError({ status, headers, body }: SmokeResponse, code: ErrorCode): void {
  expectStatus({ status, headers, body }, errors[code].status);
  const expected = JSON.stringify({ error: { message: errors[code].message, code } });
  if (JSON.stringify(body) !== expected) throw new SmokeFailure(`got ${JSON.stringify(body)}, not ${expected}`);
}

/** @throws SmokeFailure unless the response has this status and a request id */
export function expectStatus({ status, headers, body }: SmokeResponse, expected: number): void {
  if (status !== expected) throw new SmokeFailure(`got ${status} ${JSON.stringify(body) ?? ''} instead of ${expected}`);
  if (!headers.get('x-request-id')) throw new SmokeFailure('got no x-request-id');
}
