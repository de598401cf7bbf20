/** The client as all functions take it, what they take besides, and what they throw. */
import type { Client as FetchClient } from 'openapi-fetch';
import type { components, paths } from '../catalogApi.ts';

export type Client = FetchClient<paths> & {
  /** The `baseUrl`: what a storage keeps of one service is not taken for that of another. */
  readonly service?: string;
};

/** What every function takes that sends requests. The methods of the client take the same. */
export interface RequestOptions {
  /** Ends the call, which then throws the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long each request may take, in milliseconds. After that, the call throws a `TimeoutError`. By default 30,000. */
  readonly timeout?: number | undefined;
  /** Whether nobody waits for the answer: no sign-in is opened for it. */
  readonly background?: boolean | undefined;
}

/** Only these, as the methods of the client take them. */
export const requestOptions = ({ signal, timeout, background }: RequestOptions) => ({
  signal: signal ?? null,
  timeout,
  background,
});

/** Keeps what must survive a reload of the page: `sessionStorage`, or any storage of the caller's. */
export type CallerStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

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

/**
 * What every function throws if it cannot return what it was asked for: the service refused it, or gave no answer. Only an
 * aborted signal throws its own reason.
 * @example if (error instanceof RequestError) show(error.status, messagesOf(error, pt).form);
 */
export class RequestError extends Error {
  override readonly name: string = 'RequestError';
  /** Of the answer; 0 if there was none, so that a write may have been carried out. */
  declare readonly status: number;
  /** One of the contract's; `NO_ANSWER`; `UNEXPECTED_RESPONSE` if a proxy or firewall answered instead of the service. */
  declare readonly code: string;
  declare readonly by: string | undefined;
  declare readonly field: string | undefined;
  declare readonly fields: readonly FieldError[] | undefined;
  /** By this, the request is found in the service's log. Null if it has not reached the service. */
  declare readonly requestId: string | null;

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, { error }: Refusal, options?: ErrorOptions) {
    const { message, code, by, field, fields } = error;
    super(message, options);
    Object.assign(this, { status, code, by, field, fields, requestId: headers.get('x-request-id') });
  }
}

/** An error of a request that the service did not answer. */
export function unanswered(status: number, code: string, message: string, cause: unknown): RequestError {
  return new RequestError({ status, headers: new Headers() }, { error: { code, message } }, { cause });
}

/** There was no network, or no answer in time. */
export const noAnswer = (cause: unknown): RequestError =>
  unanswered(0, 'NO_ANSWER', 'There was no answer. Try again.', cause);

/**
 * The data of an answer of the client's own methods, which return `data` or `error`.
 * @example const { data } = unwrap(await client.GET('/api/v1/api/v1/items', { params: { query: { limit: 5 } } }));
 * @throws RequestError if the request was refused
 */
export function unwrap<Body>({ data, error, response }: Answer<Body>): Body {
  if (error !== undefined) throw new RequestError(response, error);
  return data;
}

/** The text of what was thrown, which may be anything: an error, a text, or an object of some library. */
export function thrownText(thrown: unknown, other = 'Something unexpected has failed.'): string {
  const text: unknown = typeof thrown === 'string' ? thrown : Object(thrown).message;
  return typeof text === 'string' && text !== '' ? text : other;
}

/** Engines say so, in English, of a defect of a program. What they say of a network is in the system's language. */
const defects =
  /\bis not (a|an|iterable|defined|undefined)\b|\b(undefined|null)\b|can't access|Illegal invocation|\balready\b|disturbed|Failed to execute/;

/** Whether what was thrown by something that uses the network is a defect of that: to try again would not help. */
export const isDefect = (thrown: unknown): boolean =>
  ['TypeError', 'ReferenceError'].includes(Object(thrown).name) && defects.test(thrownText(thrown));

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
