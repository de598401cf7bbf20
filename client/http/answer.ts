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
 * A refused request, as thrown by functions that return what they were asked for instead of an answer.
 * @example if (error instanceof RequestError) show(error.status, messagesOf(error, pt).form);
 */
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
