import type { FieldName } from './limits.ts';
import { fieldNames, limits } from './limits.ts';

/**
 * Every refusal the API can answer: its HTTP status and the message a person reads. The first four are spec 7.2, to the
 * letter, of which {@link validationFailed} completes the last. The error responder, API Gateway's own responses and the
 * tests all read this table.
 */
export const errors = {
  NOTHING_TO_UPDATE: { status: 400, message: 'No supported fields to update.' },
  ITEM_NOT_FOUND: { status: 404, message: 'Item not found.' },
  ITEM_ALREADY_EXISTS: { status: 409, message: 'SKU or part number already exists.' },
  VALIDATION_FAILED: { status: 422, message: 'Invalid field.' },
  INVALID_JSON: { status: 400, message: 'The request body is not a JSON object in UTF-8.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNAUTHORIZED: { status: 401, message: 'The access token is missing or not valid.' },
  FORBIDDEN: { status: 403, message: 'The access token does not permit this operation.' },
  NOT_FOUND: { status: 404, message: 'There is no such route.' },
  PRECONDITION_FAILED: { status: 412, message: 'The item is no longer at the revision named in If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: `The request body is larger than ${limits.body / 1024} KiB.` },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: 'The request body must be sent as application/json in UTF-8.' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'The Idempotency-Key was used for another request.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests. Try again shortly.' },
  INTERNAL_ERROR: { status: 500, message: 'The request failed unexpectedly.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is busy. Try again shortly.' },
  GATEWAY_TIMEOUT: { status: 504, message: 'The service did not answer in time.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** Why a field of a body, or a parameter, was refused; `reason` completes the sentence "<field> …" for a person. */
export interface InvalidField {
  /** The name of the field or of the parameter. */
  readonly field: string;
  readonly reason: string;
  /** The place of an invalid value within the field, as a JSON Pointer (RFC 6901): `/size/people/0`. */
  readonly path?: string;
  /** Of a taken identifier: the id of the item that has it. */
  readonly item?: number;
}

/** The one error class of expected refusals. Anything else that is thrown is a defect or an outage, and answered as `INTERNAL_ERROR`. */
export class CatalogError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly InvalidField[] | undefined;

  /**
   * @param code which refusal of {@link errors} this is
   * @param details `message` instead of the table's; `fields` for `VALIDATION_FAILED` and `ITEM_ALREADY_EXISTS`; `cause` for the log, never for the caller
   */
  constructor(code: ErrorCode, details: { message?: string; fields?: readonly InvalidField[]; cause?: unknown } = {}) {
    super(details.message ?? errors[code].message, { cause: details.cause });
    this.name = 'CatalogError';
    this.code = code;
    this.fields = details.fields;
  }
}

/**
 * The refusal of a request with invalid fields or parameters. The message names the first of them (spec 7.2), `fields`
 * lists them all.
 * @param fields at least one, in the order in which they are documented
 */
export const validationFailed = (fields: readonly [InvalidField, ...InvalidField[]]): CatalogError =>
  new CatalogError('VALIDATION_FAILED', { message: `Invalid field: ${fields[0].field}.`, fields });

/**
 * Refuses what is invalid, in the order of spec table 2.1; does nothing when nothing is.
 * @throws CatalogError `VALIDATION_FAILED`
 */
export function refuseInvalid(invalid: readonly InvalidField[]): void {
  const place = ({ field }: InvalidField) => (fieldNames as readonly string[]).indexOf(field);
  const [first, ...others] = invalid.toSorted((a, b) => place(a) - place(b));
  if (first !== undefined) throw validationFailed([first, ...others]);
}

/** An identifier that another item has. */
export interface TakenIdentifier {
  readonly field: FieldName;
  /** The id of that item. */
  readonly item: number;
}

/**
 * The refusal of identifiers that other items have.
 * @param taken at least one, in the order of spec table 2.1
 */
export const alreadyExists = (taken: readonly TakenIdentifier[]): CatalogError =>
  new CatalogError('ITEM_ALREADY_EXISTS', {
    fields: taken.map(({ field, item }) => ({ field, reason: `is used by item ${item}`, item })),
  });
