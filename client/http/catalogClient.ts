import createClient, { type Client as FetchClient } from 'openapi-fetch';
import type { paths } from '../catalogApi.ts';
import { sharedTokens, type TokenRequest } from './accessTokens.ts';
import { type Catalog, noAnswer, unwrap } from './answer.ts';
import { answerInForm } from './answerInForm.ts';
import { type RequestOptions, requestOptions } from './requestOptions.ts';
import { isDefect } from './thrown.ts';
import { wait } from './wait.ts';

export {
  type Catalog,
  type FieldError,
  type Item,
  RequestError,
  type Schemas,
  unwrap,
} from './answer.ts';
export {
  type Messages,
  messagesOf,
  type Notice,
  noticeOf,
  type OthersChange,
  type Problem,
  type Texts,
  textOf,
} from './messages.ts';
export type { RequestOptions, TokenRequest };

export type Client = FetchClient<paths> & {
  /** The `baseUrl`: what a storage keeps of one service is not taken for that of another. */
  readonly service?: string;
};

export interface ClientOptions {
  /** The address of the environment; an empty one is that of the page. */
  readonly baseUrl: string;
  /**
   * Returns the access token for the next request, renewed if it has expired or was `refused`. It is asked once for all
   * requests that wait for it.
   */
  readonly getAccessToken: (request: TokenRequest) => Promise<string>;
  /** Sends a request: the place for a log. By default `fetch` as it is then. */
  readonly fetch?: ((request: Request) => Promise<Response>) | undefined;
}

/**
 * The client that all functions take. It waits and retries when the service is busy, and once with a renewed token when
 * the service refuses one.
 * @example const client = createCatalogClient({ baseUrl: 'https://catalog.example.com', getAccessToken: async () => token });
 */
export function createCatalogClient(options: ClientOptions): Client {
  const { baseUrl, getAccessToken, fetch: send = (request: Request) => fetch(request) } = options;
  const tokenFor = sharedTokens(getAccessToken);
  async function sendWith(token: string, request: Sent, init: RequestInit): Promise<Response> {
    const sent = new Request(request.clone(), init);
    sent.headers.set('authorization', `Bearer ${token}`);
    sent.signal.throwIfAborted();
    try {
      return await answerInForm(sent, await send(sent));
    } catch (error) {
      throw request.signal.aborted || isDefect(error) ? error : noAnswer(error);
    }
  }
  async function sendOnce(request: Sent, init: RequestInit): Promise<Response> {
    const { background = false } = request;
    const token = await tokenFor({ background });
    const response = await sendWith(token, request, init);
    if (response.status !== 401) return response;
    // Whoever cannot renew it signs in again, after which the caller tries again.
    const renewed = await tokenFor({ refused: token, background }).catch(() => token);
    return renewed === token ? response : sendWith(renewed, request, init);
  }
  async function sendAgain(request: Sent): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await inTime(request, (signal) => sendOnce(request, { signal, ...initOf(request, attempt) }));
      if (attempt === maxAttempts || !isRepeatable(request, response)) return response;
      const pause = secondsBefore(attempt, response.headers.get('retry-after')) * 1_000;
      const due = Date.now() + pause;
      await wait(pause, request.signal);
      // After a sleep, only the caller knows whether its key still protects it.
      if (Date.now() - due > maxDelay) return response;
    }
  }
  const client = createClient<paths>({
    baseUrl,
    fetch: sendAgain,
    querySerializer: { array: { style: 'form', explode: false } },
  });
  return { ...client, service: baseUrl };
}

type Sent = Request & RequestOptions;

const maxAttempts = 5;
/** How much later than it should a timer may end, in milliseconds: those of hidden pages are slow. */
const maxDelay = 600_000;

/**
 * Redirected, a write could become a read. React on a server remembers the answers to the reads of a page, except to those
 * that outlive it: a read that is repeated is one.
 */
const initOf = (request: Request, attempt: number): RequestInit =>
  isRead(request) ? { redirect: 'follow', keepalive: attempt > 1 } : { redirect: 'manual' };

/** Ends what takes too long, even if it does not listen to its signal. */
async function inTime<Result>(
  { signal: given, timeout = 30_000 }: Sent,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const signal = AbortSignal.any([given, ended.signal]);
  const late = wait(timeout, signal).then(() => {
    ended.abort(new DOMException('There was no answer in time.', 'TimeoutError'));
    throw given.aborted ? signal.reason : noAnswer(signal.reason);
  });
  try {
    return await Promise.race([act(signal), late]);
  } finally {
    ended.abort();
  }
}

const isRead = ({ method }: Request): boolean => ['GET', 'HEAD'].includes(method);

/**
 * A request that got 429 was not carried out. One that got 503 may have been: it is repeated if it then does nothing twice.
 */
function isRepeatable(request: Request, { status }: Response): boolean {
  const { method, url, headers } = request;
  const isSafe =
    isRead(request) ||
    headers.has('idempotency-key') ||
    (headers.get('if-match') ?? '*') !== '*' ||
    (method === 'PUT' && url.includes('/api/v1/api/v1/catalog/'));
  return status === 429 || (status === 503 && isSafe);
}

/** How long to wait: a little longer each time, and at least as long as the service asks, up to a minute. */
function secondsBefore(attempt: number, retryAfter: string | null): number {
  const asked = retryAfter ?? '';
  const readings = [Number(asked), (Date.parse(asked) - Date.now()) / 1_000];
  const seconds = readings.find((reading) => reading > attempt) ?? attempt;
  // Not all clients at the same time.
  return Math.min(60, seconds * (1 + Math.random() / 2));
}

/**
 * Call it after each sign-in: the categories, units, defaults and limits of forms, who the user is and what they may do.
 * @example const { categories, units, permissions } = await loadCatalog(client);
 */
export async function loadCatalog(client: Client, options: RequestOptions = {}): Promise<Catalog> {
  return unwrap(await client.GET('/api/v1/api/v1/catalog', requestOptions(options))).data;
}

/**
 * A new key for `saveItem`, also where a page has no `crypto.randomUUID`: over http in a local network.
 * @example const saved = await saveItem(client, { item, changes, key: newKey() });
 */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Keeps what must survive a reload of the page: `sessionStorage`, or any storage of the caller's. */
export type CallerStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
