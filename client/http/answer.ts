import type { components } from '../catalogApi.ts';

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
