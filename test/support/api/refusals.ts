import { accountMessages, type ErrorCode, type ErrorSubject } from '../../../lib/item/errors.ts';
import type { ShownItem } from './apiResponses.ts';

export interface Refusal {
  readonly status: number;
  readonly code: ErrorCode;
  /** If omitted, the message of the code. */
  readonly message?: string;
  /** What the message names. */
  readonly subject?: ErrorSubject;
  /** The invalid fields or parameters, in the order in which they are documented. */
  readonly fields?: readonly string[];
  /** The paths of what is invalid within `metadata`. If omitted, all of it is. */
  readonly metadataPaths?: readonly string[];
  /**
   * The taken identifiers, in the order of spec table 2.1, with the id of the item that has each. Undefined means any.
   */
  readonly owners?: { readonly sku?: number | undefined; readonly pn?: number | undefined };
  /** The current item, which a failed precondition returns. */
  readonly current?: { readonly item: ShownItem; readonly revision: number };
  /** The allowed methods, which the response lists. */
  readonly allow?: string;
  /** Whether a function sends the 401, instead of the gateway's authorizer. */
  readonly byFunction?: boolean;
}

// The errors of spec 7.2.
export const nothingToUpdate: Refusal = {
  status: 400,
  code: 'NOTHING_TO_UPDATE',
};
export const itemNotFound: Refusal = { status: 404, code: 'ITEM_NOT_FOUND' };
/** Without owners, any item may have the SKU. */
export const alreadyExists = (owners: Refusal['owners'] = { sku: undefined }): Refusal => ({
  status: 409,
  code: 'ITEM_ALREADY_EXISTS',
  owners,
});
/** The message names the first of the fields. */
export const invalid = (...fields: readonly string[]): Refusal => ({
  status: 422,
  code: 'VALIDATION_FAILED',
  message: `Invalid field: ${fields[0]}.`,
  fields,
});
/** @param metadataPaths as JSON Pointers; if there are none, all of it is invalid */
export const invalidMetadata = (...metadataPaths: readonly string[]): Refusal =>
  metadataPaths.length === 0 ? invalid('metadata') : { ...invalid('metadata'), metadataPaths };

// The errors that the specification does not show.
export const invalidJson: Refusal = { status: 400, code: 'INVALID_JSON' };
export const invalidHeader = (name: 'If-Match' | 'Idempotency-Key'): Refusal => ({
  status: 400,
  code: 'INVALID_REQUEST',
  message: `Invalid header: ${name}.`,
});
export const unauthorized: Refusal = { status: 401, code: 'UNAUTHORIZED' };
export const forbidden: Refusal = { status: 403, code: 'FORBIDDEN' };
/** Of a user without an account. */
export const withoutAccount: Refusal = { ...forbidden, message: accountMessages.none, subject: { field: 'account' } };
/** Of a user whose account is not open. */
export const accountNotOpen: Refusal = { ...withoutAccount, message: accountMessages.notOpen };
export const routeNotFound: Refusal = { status: 404, code: 'NOT_FOUND' };
/** Of the path of this operation. */
export function methodNotAllowed(operation: 'createItem' | 'updateItem' | 'writeItems'): Refusal {
  const allow = {
    createItem: 'POST, GET, HEAD, OPTIONS',
    updateItem: 'PUT, GET, HEAD, OPTIONS',
    writeItems: 'POST, OPTIONS',
  }[operation];
  return { status: 405, code: 'METHOD_NOT_ALLOWED', allow };
}
export const categoryNotFound: Refusal = { status: 404, code: 'CATEGORY_NOT_FOUND' };
export const unitAlreadyExists: Refusal = { status: 409, code: 'UNIT_ALREADY_EXISTS' };
export const preconditionFailed = (item: ShownItem, revision: number): Refusal => ({
  status: 412,
  code: 'PRECONDITION_FAILED',
  current: { item, revision },
});
export const tooLarge: Refusal = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
export const unsupportedMediaType: Refusal = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
export const keyReused: Refusal = { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' };
