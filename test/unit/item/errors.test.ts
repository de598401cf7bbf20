import { expect, it } from 'vitest';
import { CatalogError, errors } from '../../../lib/item/errors.ts';

it('the errors of spec 7.2 have its status and message, word for word', () => {
  expect(errors).toMatchObject({
    NOTHING_TO_UPDATE: { status: 400, message: 'No supported fields to update.' },
    ITEM_NOT_FOUND: { status: 404, message: 'Item not found.' },
    ITEM_ALREADY_EXISTS: { status: 409, message: 'SKU or part number already exists.' },
    VALIDATION_FAILED: { status: 422, message: 'Invalid field.' },
  });
});

it.each(Object.entries(errors))('%s has one sentence for people', (_code, { message }) => {
  expect(message).toMatch(/^[A-Z].*\.$/);
});

it('a refusal has its code, the message in the table unless it has another, no fields and no cause', () => {
  const refusal = new CatalogError('FORBIDDEN');
  const { message } = errors.FORBIDDEN;
  expect(refusal).toMatchObject({ code: 'FORBIDDEN', message, fields: undefined, cause: undefined });
  const cause = new Error('ECONNRESET');
  const own = new CatalogError('INVALID_REQUEST', { message: 'Invalid header: If-Match.', cause });
  expect(own).toMatchObject({ message: 'Invalid header: If-Match.', cause });
});
