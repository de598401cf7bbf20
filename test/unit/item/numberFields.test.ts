import { describe, expect, it } from 'vitest';
import { accepts } from '../../../lib/item/accepts.ts';
import { limits } from '../../../lib/item/limits.ts';

const names = ['value', 'qty', 'cost', 'tax'] as const;
const reasonFor = (field: (typeof names)[number]) => `must be a number from 0 to ${limits[field].max}`;

const read = (field: keyof typeof accepts, sent: unknown) => accepts[field].safeParse(sent);
const reasonOf = (field: keyof typeof accepts, sent: unknown) => read(field, sent).error?.issues[0]?.message;

describe.each(names)('%s', (field) => {
  it.each(
    [
      null,
      '12.5',
      '0',
      '',
      true,
      false,
      [],
      [1],
      {},
      -1,
      -0.0001,
      -5e-324,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1e300,
    ].map((sent) => [sent]),
  )('rejects %j (spec 2.1)', (sent) => {
    expect(reasonOf(field, sent)).toBe(reasonFor(field));
  });

  it.each([
    [0, 0],
    [-0, 0],
    [1e2, 100],
    [12.5, 12.5],
  ])('accepts %d, and stores 0 and -0 as 0 (spec 4.2 rule 2)', (sent, kept) => {
    expect(read(field, sent)).toEqual({ success: true, data: field === 'qty' ? sent : kept });
  });
});

describe('the bounds of numbers (spec 8)', () => {
  it.each(
    names.flatMap((field) => {
      const { max } = limits[field];
      return [[field, max, max * (1 + Number.EPSILON)] as const, [field, max, Math.ceil(max) + 1] as const];
    }),
  )('%s is at most %d, and %d is rejected', (field, bound, beyond) => {
    expect(read(field, bound)).toEqual({ success: true, data: bound });
    expect(reasonOf(field, beyond)).toBe(reasonFor(field));
  });
});

describe('the scale of numbers', () => {
  it.each([
    ['value', 0.30000000000000004, 0.3],
    ['value', 1.00005, 1.0001],
    ['value', 1e-7, 0],
    ['cost', 1.00005, 1.0001],
    ['cost', 0.00004, 0],
    ['tax', 1.0000005, 1.000001],
    ['tax', 0.0000004, 0],
    ['tax', 1.00005, 1.00005],
  ] as const)('%s sent as %d is stored as %d', (field, sent, kept) => {
    expect(read(field, sent)).toEqual({ success: true, data: kept });
  });

  it('qty is not rounded yet, because that depends on its unit', () => {
    expect(read('qty', 1.23456789)).toEqual({ success: true, data: 1.23456789 });
  });
});
