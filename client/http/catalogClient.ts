import createClient, { type Client as FetchClient } from 'openapi-fetch';
import type { components, paths } from '../catalogApi.ts';
import type { en } from '../texts/en.ts';
import { type RequestOptions, requestOptions } from './requestOptions.ts';
import { wait } from './wait.ts';

export type { RequestOptions };

/** What the contract describes, by its name there. */
export type Schemas = components['schemas'];
export type Item = Schemas['Item'];
export type Catalog = Schemas['Catalog'];

/** An input that is at fault, with the reason for the user. */
export type FieldError = Schemas['InvalidField'] | Schemas['TakenIdentifier'];

/** The body of every response that refuses a request. */
export interface Refusal {
  readonly error: {
    /** One of the contract's, or `UNEXPECTED_RESPONSE` if something before the service answered. */
    readonly code: string;
    readonly message: string;
    /** Who has changed the item since. */
    readonly by?: string | undefined;
    /** The identifier that no item has, or `account` if the user has none that is open. */
    readonly field?: string | undefined;
    readonly fields?: readonly FieldError[] | undefined;
  };
}

export type Answer<Body> = { readonly response: Response } & (
  | { readonly data: Body; readonly error?: never }
  | { readonly data?: never; readonly error: Refusal }
);

/** A refused request, as thrown by functions that return what they were asked for instead of an answer. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  readonly status: number;
  readonly code: string;
  readonly by: string | undefined;
  readonly field: string | undefined;
  readonly fields: readonly FieldError[] | undefined;
  /** By this, the request is found in the service's log. Null if it has not reached the service. */
  readonly requestId: string | null;

  constructor({ status, headers }: Response, { error }: Refusal) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.by = error.by;
    this.field = error.field;
    this.fields = error.fields;
    this.requestId = headers.get('x-request-id');
  }
}

/**
 * The data of an answer, for callers who would rather catch an error than check for one.
 * @example const { data } = dataOf(await client.GET('/api/v1/api/v1/items', { params: { query: { limit: 5 } } }));
 * @throws RequestError if the request was refused
 */
export function dataOf<Body>({ data, error, response }: Answer<Body>): Body {
  if (error !== undefined) throw new RequestError(response, error);
  return data;
}

export type Client = FetchClient<paths>;

/**
 * The client that all functions take. It waits and retries when the service is busy.
 * @param baseUrl the address of the environment; an empty one is that of the page
 * @param accessToken returns the access token for the next request, renewed if it has expired
 * @param send sends a request, as `fetch` does: the place for a log, and to notice a 401
 * @example const client = catalogClient('https://catalog.example.com', async () => (await users.getUser()).access_token);
 */
export function catalogClient(
  baseUrl: string,
  accessToken: () => Promise<string>,
  send = (request: Request): Promise<Response> => fetch(request),
): Client {
  async function sendOnce(request: Request, signal: AbortSignal): Promise<Response> {
    // Redirected, a write could become a read.
    const redirect = isRead(request) ? 'follow' : 'manual';
    const sent = new Request(request.clone(), { signal, redirect });
    sent.headers.set('authorization', `Bearer ${await accessToken()}`);
    signal.throwIfAborted();
    return inForm(sent, await send(sent));
  }
  async function sendAgain(request: Request & RequestOptions): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const response = await inTime(request, (signal) => sendOnce(request, signal));
      if (attempt === maxAttempts || !isRepeatable(request, response)) return response;
      const pause = secondsBefore(attempt, response.headers.get('retry-after')) * 1_000;
      const due = Date.now() + pause;
      await wait(pause, request.signal);
      // After a sleep, only the caller knows whether its key still protects it.
      if (Date.now() - due > maxDelay) return response;
    }
  }
  return createClient<paths>({
    baseUrl,
    fetch: sendAgain,
    querySerializer: { array: { style: 'form', explode: false } },
  });
}

const maxAttempts = 5;
/** How much later than it should a timer may end, in milliseconds: those of hidden pages are slow. */
const maxDelay = 600_000;

/** Ends what takes too long, even if it does not listen to its signal. */
async function inTime<Result>(
  { signal: given, timeout = 30_000 }: Request & RequestOptions,
  act: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  const signal = AbortSignal.any([given, ended.signal]);
  const late = wait(timeout, signal).then(() => {
    ended.abort(new DOMException('There was no answer in time.', 'TimeoutError'));
    throw signal.reason;
  });
  try {
    return await Promise.race([act(signal), late]);
  } finally {
    ended.abort();
  }
}

/** What is not in the form of the API's answers becomes an error that is: a proxy's, a firewall's or a cache's. */
async function inForm({ method }: Request, response: Response): Promise<Response> {
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

const isRead = ({ method }: Request): boolean => ['GET', 'HEAD'].includes(method);

/** A request of 429 was not carried out. Of one of 503 nobody knows, so it is only repeated if that does nothing twice. */
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
  return dataOf(await client.GET('/api/v1/api/v1/catalog', requestOptions(options))).data;
}

/** A text for each rule, code and result: `catalog-client/en`, `catalog-client/pt`. */
export type AllTexts = Readonly<Record<keyof typeof en, string>>;

/** A table of texts of your own. What it lacks is English, as the service says it. */
export type Texts = Readonly<Partial<AllTexts> & { language: string }>;

export interface Messages {
  readonly form: string;
  readonly inputs: Readonly<Record<string, string>>;
}

/**
 * The messages for each input, and for the whole form if no input is at fault. Inputs of metadata include the path.
 * @param refused the `error` of an answer or of a row, or what was thrown
 * @param texts the service's own are English, and begin after the field's name
 * @example const { form, inputs } = messagesOf(error, pt); // inputs: { name: 'É obrigatório.' }
 */
export function messagesOf(refused: Refusal | Refusal['error'], texts?: Texts): Messages {
  const error = 'error' in refused ? refused.error : refused;
  const { fields, message } = error;
  if (fields === undefined) return { form: filled(texts, keyOf(error), { ...error }) ?? message, inputs: {} };
  const inputOf = (one: FieldError) => ('path' in one ? `${one.field}${one.path}` : one.field);
  return {
    form: '',
    inputs: Object.fromEntries(fields.map((one) => [inputOf(one), filled(texts, one.rule, { ...one }) ?? one.reason])),
  };
}

const keyOf = ({ code, field }: Refusal['error']): string => {
  if (field === undefined) return code;
  return field === 'account' ? 'no_account' : 'no_item_with_code';
};

/** @returns undefined for what the table lacks, such as a rule of a later version, or of which a value is not known */
function filled(texts: Texts | undefined, key: string, values: Readonly<Record<string, unknown>>): string | undefined {
  if (texts === undefined || !Object.hasOwn(texts, key)) return undefined;
  const { [key]: template = '' } = texts as Readonly<Record<string, string>>;
  const names = Array.from(template.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  if (names.some((name) => values[name] === undefined)) return undefined;
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const { [name]: value } = values;
    const format = { maximumFractionDigits: 20, useGrouping: name === 'limit' };
    return typeof value === 'number' ? value.toLocaleString(texts.language, format) : String(value);
  });
}

/**
 * A new key for `saveItem`, also where a page has no `crypto.randomUUID`: over http in a local network.
 * @example const answer = await saveItem(client, form, changes, newKey());
 */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');

/** Keeps what must survive a reload of the page: `sessionStorage`, or any storage of the caller's. */
export type CallerStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
