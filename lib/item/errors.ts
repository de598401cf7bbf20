import type { FieldProblem, IdentifierName } from './fields.ts';
import { limits } from './limits.ts';
import type { Violation } from './violation.ts';

const identifierLabels: Readonly<Record<IdentifierName, string>> = { sku: 'SKU', pn: 'part number' };

/**
 * Every error that the API, or API Gateway itself, can return, with its HTTP status and a message for people. The first
 * four come verbatim from spec 7.2; {@link validationFailed} completes the message of the fourth.
 */
export const errors = {
  NOTHING_TO_UPDATE: { status: 400, message: 'No supported fields to update.' },
  ITEM_NOT_FOUND: { status: 404, message: 'Item not found.' },
  ITEM_ALREADY_EXISTS: { status: 409, message: `${Object.values(identifierLabels).join(' or ')} already exists.` },
  VALIDATION_FAILED: { status: 422, message: 'Invalid field.' },
  INVALID_JSON: { status: 400, message: 'The request body is not a JSON object in UTF-8.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNAUTHORIZED: { status: 401, message: 'The access token is missing or not valid.' },
  FORBIDDEN: { status: 403, message: 'The access token does not permit this operation.' },
  NOT_FOUND: { status: 404, message: 'There is no such route.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not support the method.' },
  CATEGORY_NOT_FOUND: { status: 404, message: 'Category not found.' },
  UNIT_ALREADY_EXISTS: { status: 409, message: 'The unit already exists.' },
  CHANGES_EXPIRED: { status: 410, message: 'The changes after this cursor are no longer kept.' },
  PRECONDITION_FAILED: { status: 412, message: 'The item is no longer at the revision named in If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: `The request body is larger than ${limits.body / 1024} KiB.` },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The request body must be sent as application/json in UTF-8, plain or compressed with gzip or deflate.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'The Idempotency-Key was used for another request.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests. Try again shortly.' },
  INTERNAL_ERROR: { status: 500, message: 'The request failed unexpectedly.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is busy. Try again shortly.' },
  GATEWAY_TIMEOUT: { status: 504, message: 'The service did not answer in time.' },
} as const satisfies Record<string, { status: number; message: string }>;

export type ErrorCode = keyof typeof errors;

/** The messages of `FORBIDDEN` for a user without an account. */
export const accountMessages = {
  none: 'Your user has no account in this catalog, or a name that nobody can have. Ask an administrator.',
  notOpen: 'The account of your user is not open in this catalog. Ask an administrator.',
} as const;

export interface InvalidField extends FieldProblem, Violation {
  /** For an identifier that is taken: the id of the item that has it. */
  readonly item?: number;
  /** For a value that an earlier row has: the place of that row, counted from 1. */
  readonly row?: number;
}

/** The subject of an error's message, for programs and translations. */
export interface ErrorSubject {
  /** The user who has changed the item since. */
  readonly by?: string;
  /** The identifier that no item has, or `account` if the user has none that is open. */
  readonly field?: IdentifierName | 'account';
}

interface ErrorDetails {
  readonly message?: string;
  readonly subject?: ErrorSubject;
  readonly fields?: readonly InvalidField[];
  readonly cause?: unknown;
}

/** An expected failure. Anything else that is thrown is a defect or an outage, and is returned as `INTERNAL_ERROR`. */
export class CatalogError extends Error {
  readonly code: ErrorCode;
  readonly fields: readonly InvalidField[] | undefined;
  readonly subject: ErrorSubject;

  /**
   * @param details `message` replaces the table's message, and `subject` is what it names; `fields` is for
   * `VALIDATION_FAILED` and `ITEM_ALREADY_EXISTS`; `cause` is logged and never shown to the caller
   */
  constructor(code: ErrorCode, details: ErrorDetails = {}) {
    super(details.message ?? errors[code].message, { cause: details.cause });
    this.name = 'CatalogError';
    this.code = code;
    this.fields = details.fields;
    this.subject = details.subject ?? {};
  }
}

export const catalogErrorOf = (error: unknown): CatalogError =>
  error instanceof CatalogError ? error : new CatalogError('INTERNAL_ERROR', { cause: error });

/** Names no more fields than this, so that no response is much larger than its request. */
const mostNamed = 20;

/** The message names the first (spec 7.2). @param fields at least one, in documented order */
export const validationFailed = (fields: readonly [InvalidField, ...InvalidField[]]): CatalogError =>
  new CatalogError('VALIDATION_FAILED', {
    message: `Invalid field: ${fields[0].field}.`,
    fields: fields.slice(0, mostNamed),
  });

/** @throws CatalogError `VALIDATION_FAILED` if the list of invalid fields or parameters is not empty */
export function throwIfAny([first, ...others]: readonly InvalidField[]): void {
  if (first !== undefined) throw validationFailed([first, ...others]);
}

export interface TakenIdentifier {
  readonly field: IdentifierName;
  readonly item: number;
}

/** @param taken at least one, in the order of spec table 2.1 */
export const alreadyExists = (taken: readonly TakenIdentifier[]): CatalogError =>
  new CatalogError('ITEM_ALREADY_EXISTS', {
    fields: taken.map(({ field, item }) => ({ field, reason: `is used by item ${item}`, rule: 'taken', item })),
  });
