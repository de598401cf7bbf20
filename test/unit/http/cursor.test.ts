import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeCursor, parseCursor } from '../../../lib/http/cursor.ts';
import { limits } from '../../../lib/item/limits.ts';
import { listedName } from '../../../lib/item/listedName.ts';
import { anyText } from '../../support/items/arbitraries.ts';

const place = fc.record({
  name: anyText.map(listedName),
  id: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
});

describe('a cursor', () => {
  it('encodes a place, and needs no escaping in a query string', () => {
    fc.assert(
      fc.property(place, (any) => {
        expect(encodeCursor(any)).toMatch(/^[A-Za-z0-9_-]+$/);
        expect(parseCursor(encodeCursor(any))).toEqual(any);
      }),
    );
    const longest = { name: 'x'.repeat(limits.listedName), id: Number.MAX_SAFE_INTEGER };
    expect(parseCursor(encodeCursor(longest))).toEqual(longest);
  });

  it('decodes to a place of bounded size or to nothing, however it was modified', () => {
    const changed = fc.tuple(place, fc.nat(), fc.nat(), fc.string({ maxLength: 2 })).map(([any, at, count, put]) => {
      const cursor = [...encodeCursor(any)];
      cursor.splice(at % cursor.length, count % 3, put);
      return cursor.join('');
    });
    fc.assert(
      fc.property(fc.oneof(changed, fc.base64String(), anyText), (cursor) => {
        const found = parseCursor(cursor);
        if (found === undefined) return;
        expect(encodeCursor(found)).toBe(cursor);
        expect(found.name.isWellFormed()).toBe(true);
        expect(Number.isSafeInteger(found.id) && found.id > 0).toBe(true);
      }),
    );
  });

  const encoded = (text: string) => Buffer.from(text, 'latin1').toString('base64url');
  it.each([
    ['nothing', ''],
    ['another alphabet', '+/+/'],
    ['padding', Buffer.from('12 x').toString('base64')],
    ['no id', encoded('chair')],
    ['an id of 0', encoded('0 chair')],
    ['an id with a leading zero', encoded('07 chair')],
    ['an id beyond the safe integers', encoded('9007199254740993 chair')],
    ['a name that is not UTF-8', encoded('7 \xff')],
    ['a name that is too long', encoded(`7 ${'x'.repeat(limits.listedName + 1)}`)],
    ['a megabyte', 'A'.repeat(1_000_000)],
  ])('is not %s', (_what, cursor) => {
    expect(parseCursor(cursor)).toBeUndefined();
  });
});
