import { expect, it } from 'vitest';
import { errors, throwIfAny } from '../../../lib/item/errors.ts';
import { listed } from '../../../lib/item/violation.ts';

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

it('a reason lists up to 30 choices, and says how many more there are', () => {
  const choices = Array.from({ length: 32 }, (_, index) => `unit${index}`);
  expect(listed(choices.slice(0, 30))).toBe(choices.slice(0, 30).join(', '));
  expect(listed(choices)).toBe(`${choices.slice(0, 30).join(', ')}, and 2 more`);
});

it('an error names at most 20 fields, the first ones', () => {
  const invalid = Array.from(
    { length: 21 },
    (_, index) => ({ field: `f${index}`, reason: 'is wrong', rule: 'type' }) as const,
  );
  expect(() => throwIfAny(invalid)).toThrow(
    expect.objectContaining({ message: 'Invalid field: f0.', fields: invalid.slice(0, 20) }),
  );
});
