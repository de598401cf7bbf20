import { describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../../lib/item/errors.ts';
import { alreadyExists, CatalogError, errors, validationFailed } from '../../../lib/item/errors.ts';

const table: Record<ErrorCode, { status: number; message: string }> = {
  NOTHING_TO_UPDATE: { status: 400, message: 'No supported fields to update.' },
  ITEM_NOT_FOUND: { status: 404, message: 'Item not found.' },
  ITEM_ALREADY_EXISTS: { status: 409, message: 'SKU or part number already exists.' },
  VALIDATION_FAILED: { status: 422, message: 'Invalid field.' },
  INVALID_JSON: { status: 400, message: 'The request body is not a JSON object in UTF-8.' },
  INVALID_REQUEST: { status: 400, message: 'The request is not valid.' },
  UNAUTHORIZED: { status: 401, message: 'The access token is missing or not valid.' },
  FORBIDDEN: { status: 403, message: 'The access token does not permit this operation.' },
  NOT_FOUND: { status: 404, message: 'There is no such route.' },
  METHOD_NOT_ALLOWED: { status: 405, message: 'This path does not support the method.' },
  PRECONDITION_FAILED: { status: 412, message: 'The item is no longer at the revision named in If-Match.' },
  PAYLOAD_TOO_LARGE: { status: 413, message: 'The request body is larger than 256 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    message: 'The request body must be sent as application/json in UTF-8, plain or compressed with gzip or deflate.',
  },
  IDEMPOTENCY_KEY_REUSED: { status: 422, message: 'The Idempotency-Key was used for another request.' },
  TOO_MANY_REQUESTS: { status: 429, message: 'Too many requests. Try again shortly.' },
  INTERNAL_ERROR: { status: 500, message: 'The request failed unexpectedly.' },
  SERVICE_UNAVAILABLE: { status: 503, message: 'The service is busy. Try again shortly.' },
  GATEWAY_TIMEOUT: { status: 504, message: 'The service did not answer in time.' },
};

describe('the table of errors', () => {
  it('has the status and message of each code, verbatim from spec 7.2 for the first four', () => {
    expect(errors).toEqual(table);
  });

  it.each(Object.entries(errors))('has one sentence for people for %s', (_code, { message }) => {
    expect(message).toMatch(/^[A-Z].*\.$/);
  });
});

describe('an error for invalid fields', () => {
  it('names the first field as in spec 7.2, and lists all with their reasons', () => {
    const invalid = [
      { field: 'name', reason: 'is required', rule: 'required' },
      { field: 'tax', reason: 'must be a number', rule: 'type' },
    ] as const;
    const refusal = validationFailed(invalid);
    expect(refusal.message).toBe('Invalid field: name.');
    expect(refusal).toMatchObject({ code: 'VALIDATION_FAILED', fields: invalid, cause: undefined });
  });
});

describe('an error for taken identifiers', () => {
  it('has the message of spec 7.2, and names each with the item that has it', () => {
    const refusal = alreadyExists([
      { field: 'sku', item: 17 },
      { field: 'pn', item: 3 },
    ]);
    expect(refusal.message).toBe('SKU or part number already exists.');
    expect(refusal.fields).toEqual([
      { field: 'sku', reason: 'is used by item 17', rule: 'taken', item: 17 },
      { field: 'pn', reason: 'is used by item 3', rule: 'taken', item: 3 },
    ]);
  });
});

describe('a refusal', () => {
  it('has its code, the message in the table, no fields and no cause', () => {
    const refusal = new CatalogError('FORBIDDEN');
    expect(refusal).toBeInstanceOf(Error);
    expect({ ...refusal, message: refusal.message, cause: refusal.cause }).toEqual({
      name: 'CatalogError',
      code: 'FORBIDDEN',
      message: 'The access token does not permit this operation.',
      fields: undefined,
      cause: undefined,
    });
  });

  it('can have another message, and a cause for the log', () => {
    const cause = new Error('ECONNRESET');
    const refusal = new CatalogError('INVALID_REQUEST', { message: 'Invalid header: If-Match.', cause });
    expect([refusal.message, refusal.cause]).toEqual(['Invalid header: If-Match.', cause]);
  });
});
