import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { idempotencyKey } from '../../../lib/http/idempotencyKey.ts';
import { refusalOf } from '../../support/refusalOf.ts';

const visible = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)) });

describe('the Idempotency-Key', () => {
  it('is optional', () => {
    expect(idempotencyKey([])).toBeUndefined();
  });

  it.each([
    ['a', 'a'],
    ['"a"', 'a'],
    ['8e03978e-40d5-43dd-bc93-6894a57f9324', '8e03978e-40d5-43dd-bc93-6894a57f9324'],
    ['!~,;=:', '!~,;=:'],
    ['x'.repeat(255), 'x'.repeat(255)],
    [`"${'x'.repeat(255)}"`, 'x'.repeat(255)],
  ])('%s has the key %s, quoted or bare', (value, key) => {
    expect(idempotencyKey([value])).toBe(key);
  });

  it.each([
    [['']],
    [['""']],
    [[' ']],
    [['a b']],
    [['a\t']],
    [['a\u0000']],
    [['a\u007f']],
    [['é']],
    [['"a b"']],
    [['x'.repeat(256)]],
    [[`"${'x'.repeat(256)}"`]],
    [['"é"']],
    [['"a']],
    [['"a"b"']],
    [['a', 'a']],
    [['a', 'b']],
    [['', 'a']],
    [['a', '']],
  ])('%j is rejected', (values) => {
    expect(refusalOf(() => idempotencyKey(values))).toEqual({
      code: 'INVALID_REQUEST',
      message: 'Invalid header: Idempotency-Key.',
      fields: undefined,
    });
  });

  it('is used exactly as sent if it is visible ASCII without quotes', () => {
    fc.assert(
      fc.property(visible, (value) => {
        fc.pre(value !== '' && !value.includes('"'));
        expect(idempotencyKey([value])).toBe(value);
        expect(idempotencyKey([`"${value}"`])).toBe(value);
      }),
    );
  });
});
