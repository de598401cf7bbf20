import createClient from 'openapi-fetch';
import type { paths } from '../catalogApi.ts';
import type { Client, Refusal, RequestOptions } from './catalogClient.ts';
import { isDefect, noAnswer, RequestError, thrownText, unanswered } from './catalogClient.ts';
import { wait } from './wait.ts';

/** What an access token is for. */
export interface TokenRequest {
  /** The token that the service has just refused: renew it. Undefined if none was. */
  readonly refused?: string | undefined;
  /** Whether nobody waits for the answer, as when a page keeps itself current: open no sign-in then. */
  readonly background: boolean;
}

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

/** Turns answers that are not in the API's form, such as a proxy's, a firewall's or a cache's, into errors that are. */
async function answerInForm({ method }: Request, response: Response): Promise<Response> {
  const { ok, status, headers } = response;
  if (method === 'HEAD') return response;
  const text = await response.text();
  if (isInForm(text, ok)) return new Response(text, { status, headers });
  // Browsers hide the status of a redirect. An answer of 304 may have no body.
  const known = response.type === 'opaqueredirect' ? 302 : status;
  const failed = ok || status === 304 ? 502 : known;
  const error = { code: 'UNEXPECTED_RESPONSE', message: `The request failed with status ${failed}.` };
  const retryAfter = headers.get('retry-after') ?? '';
  return Response.json({ error } satisfies Refusal, { status: failed, headers: { 'retry-after': retryAfter } });
}

function isInForm(text: string, ok: boolean): boolean {
  try {
    const { data, error } = JSON.parse(text);
    if (ok) return typeof data === 'object' && data !== null;
    const { code, message, fields = [] } = error;
    return typeof code === 'string' && typeof message === 'string' && Array.isArray(fields);
  } catch {
    return false;
  }
}

/** After so many milliseconds, nobody waits any longer for a token that others have asked for. */
const patience = 60_000;

/** Libraries of identity providers also reject with texts and objects. Without a network, they fail as `fetch` does. */
function noToken(thrown: unknown): RequestError {
  const isOfNetwork = ['TypeError', 'TimeoutError'].includes(Object(thrown).name) && !isDefect(thrown);
  if (isOfNetwork) return noAnswer(thrown);
  return unanswered(401, 'UNAUTHORIZED', thrownText(thrown, 'There is no access token. Sign in again.'), thrown);
}

/**
 * Asks for access tokens one at a time, so that requests that need one share its renewal: where refresh tokens are used
 * once, a second renewal would end the session.
 */
function sharedTokens(accessToken: ClientOptions['getAccessToken']): ClientOptions['getAccessToken'] {
  let asked: { readonly request: TokenRequest; readonly at: number; readonly answer: Promise<string> } | undefined;
  let newest: string | undefined;

  async function ask(request: TokenRequest): Promise<string> {
    try {
      newest = await accessToken(request);
      return newest;
    } catch (error) {
      throw error instanceof RequestError ? error : noToken(error);
    } finally {
      asked = undefined;
    }
  }

  return async function tokenFor({ refused, background }): Promise<string> {
    const isFirst = asked === undefined || Date.now() - asked.at > patience;
    if (asked === undefined || isFirst) {
      // Unless another request has renewed it meanwhile.
      const request = { refused: refused === newest ? refused : undefined, background };
      asked = { request, at: Date.now(), answer: Promise.resolve(request).then(ask) };
    }
    const { request, answer } = asked;
    const token = await answer;
    const isTried = isFirst || (request.refused === refused && (background || !request.background));
    return isTried || token !== refused ? token : tokenFor({ refused, background });
  };
}
