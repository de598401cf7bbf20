import { describe, expect, it } from 'vitest';
import { accepts } from '../../../lib/item/accepts.ts';

const read = (field: 'type' | 'active' | 'category', sent: unknown) => accepts[field].safeParse(sent);
const reasonOf = (field: 'type' | 'active' | 'category', sent: unknown) => read(field, sent).error?.issues[0]?.message;

describe('type', () => {
  it.each(['product', 'service'])('accepts %s', (sent) => {
    expect(read('type', sent)).toEqual({ success: true, data: sent });
  });

  it.each(['Product', 'SERVICE', '', ' product', 'toString', null, 0, [], ['product'], {}].map((sent) => [sent]))(
    'rejects %j',
    (sent) => {
      expect(reasonOf('type', sent)).toBe('must be product or service');
    },
  );
});

describe('active', () => {
  it.each([
    [true, true],
    [false, false],
    [1, true],
    [0, false],
    [-0, false],
  ])('stores %j as %j (spec 4.2 rule 2)', (sent, kept) => {
    expect(read('active', sent)).toEqual({ success: true, data: kept });
  });

  it.each([null, 'true', 'false', '1', '0', '', 2, -1, 0.5, [], [true], {}].map((sent) => [sent]))(
    'rejects %j',
    (sent) => {
      expect(reasonOf('active', sent)).toBe('must be true, false, 1 or 0');
    },
  );
});

describe('category', () => {
  it.each([null, 1, 2, Number.MAX_SAFE_INTEGER])('accepts %j', (sent) => {
    expect(read('category', sent)).toEqual({ success: true, data: sent });
  });

  it.each(
    [0, -0, -1, -1e20, 1.5, 2 ** 53, 1e300, Number.POSITIVE_INFINITY, '3', '', true, [], [1], {}].map((sent) => [sent]),
  )('rejects %j, and names it once', (sent) => {
    expect(read('category', sent).error?.issues).toEqual([
      expect.objectContaining({ message: 'must be null or the id of a category' }),
    ]);
  });
});
