import createClient, { type Client as FetchClient } from 'openapi-fetch';
import type { components, paths } from './catalogApi.ts';
import { wait } from './wait.ts';

/** What the contract describes, by its name there. */
export type Schemas = components['schemas'];
export type Item = Schemas['Item'];
export type Catalog = Schemas['Catalog'];

/** An input that is at fault, with the reason for the user. */
export type FieldError = Schemas['InvalidField'] | Schemas['TakenIdentifier'];

/** The body of every response that refuses a request. */
export interface Refusal {
  readonly error: {
    /** One of the contract's, or `UNEXPECTED_RESPONSE` if something before the service refused. */
    readonly code: string;
    /** A sentence for the user. */
    readonly message: string;
    readonly fields?: readonly FieldError[];
  };
}

/** The answer to a request: either `data` or `error`. */
export type Answer<Body> = { readonly response: Response } & (
  | { readonly data: Body; readonly error?: never }
  | { readonly data?: never; readonly error: Refusal }
);

/** A refused request, as thrown by functions that return what they were asked for instead of an answer. */
export class RequestError extends Error {
  override readonly name = 'RequestError';
  /** The status of the response, such as 410. */
  readonly status: number;
  readonly code: string;
  /** By this, the request is found in the service's log. Null if it has not reached the service. */
  readonly requestId: string | null;

  constructor({ status, headers }: Response, { error }: Refusal) {
    super(error.message);
    this.status = status;
    this.code = error.code;
    this.requestId = headers.get('x-request-id');
  }
}

/**
 * The data of an answer, for callers who would rather catch an error than check for one.
 * @throws RequestError if the request was refused
 */
export function dataOf<Body>({ data, error, response }: Answer<Body>): Body {
  if (error !== undefined) throw new RequestError(response, error);
  return data;
}

/** Retries 429 and 503 after `retry-after`, waiting a little longer each time. */
async function fetchWithRetry(request: Request): Promise<Response> {
  for (let attempt = 1; ; attempt += 1) {
    const response = await fetch(request.clone());
    const seconds = Number(response.headers.get('retry-after') ?? 0);
    if (!(seconds > 0) || attempt === 5) return inForm(response);
    await wait(seconds * 1000 * attempt * (0.5 + Math.random()), request.signal);
  }
}

/** Gives a proxy's error the form of the API's, so that every error has a code and a message. */
function inForm(response: Response): Response {
  const { ok, status, headers } = response;
  if (ok || headers.get('content-type')?.includes('json') === true) return response;
  const error = { code: 'UNEXPECTED_RESPONSE', message: `The request failed with status ${status}.` };
  return new Response(JSON.stringify({ error } satisfies Refusal), { status });
}

export type Client = FetchClient<paths>;

/**
 * The client that all functions take. It waits and retries when the service is busy.
 * @param baseUrl the address of the environment; an empty one is that of the page
 * @param accessToken returns the access token for the next request, renewed if it has expired
 */
export function catalogClient(baseUrl: string, accessToken: () => Promise<string>): Client {
  const client = createClient<paths>({
    baseUrl,
    fetch: fetchWithRetry,
    querySerializer: { array: { style: 'form', explode: false } },
  });
  client.use({
    async onRequest({ request }) {
      request.headers.set('authorization', `Bearer ${await accessToken()}`);
    },
  });
  return client;
}

/**
 * Call it after each sign-in. The data needed to build a form: categories, units, defaults, limits; and who the user is
 * and what they may do.
 */
export async function loadCatalog(client: Client): Promise<Catalog> {
  return dataOf(await client.GET('/api/v1/api/v1/catalog')).data;
}

/** The messages for each input, and for the whole form if no input is at fault. Inputs of metadata include the path. */
export function messagesOf({ error }: Refusal): { form: string; inputs: Readonly<Record<string, string>> } {
  if (error.fields === undefined) return { form: error.message, inputs: {} };
  const inputOf = (one: FieldError) => ('path' in one ? `${one.field}${one.path}` : one.field);
  return { form: '', inputs: Object.fromEntries(error.fields.map((one) => [inputOf(one), one.reason])) };
}

/** Keeps what must survive a reload of the page: `sessionStorage`, or any storage of the caller's. */
export type CallerStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
