import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  encodeCursor,
  encodeItemCursor,
  itemCursor,
  mayBeOfChanges,
  parseCursor,
  placeForm,
} from '../../../lib/http/cursor.ts';
import { limits } from '../../../lib/item/limits.ts';
import { listedName } from '../../../lib/item/listedName.ts';
import { lastSequence } from '../../../lib/store/records/keys.ts';
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
    ['a megabyte', 'A'.repeat(1_000_000)],
  ])('is not %s', (_what, cursor) => {
    expect(parseCursor(cursor)).toBeUndefined();
  });
});

describe('the cursor of a list of items', () => {
  const read = (cursor: string) => {
    const position = parseCursor(cursor);
    return position && itemCursor(position);
  };

  it('has the place and the order, whatever the name', () => {
    fc.assert(
      fc.property(place, fc.boolean(), (any, isDescending) => {
        expect(read(encodeItemCursor(any, isDescending))).toEqual({ ...any, isDescending });
      }),
    );
    const longest = { name: 'x'.repeat(limits.listedName), id: Number.MAX_SAFE_INTEGER };
    expect(read(encodeItemCursor(longest, true))).toEqual({ ...longest, isDescending: true });
  });

  it('of an earlier version has no order, and no name if the listed name is empty, as that of ´', () => {
    for (const name of ['oak desk', listedName('´')])
      expect(read(encodeCursor({ name, id: 7 }))).toEqual({ name, id: 7, isDescending: undefined });
  });

  it('cannot be that of changes, except one of an earlier version for an item of such a name', () => {
    expect(lastSequence).toMatch(placeForm);
    const ofChanges = [
      { name: '', id: Date.parse('2025-01-01') },
      { name: '1'.padStart(40, '0'), id: 7 },
    ];
    for (const position of ofChanges) {
      expect(itemCursor(position)).toEqual({ ...position, isDescending: undefined });
      expect(mayBeOfChanges({ ...position, isDescending: undefined })).toBe(true);
      expect(mayBeOfChanges({ ...position, isDescending: false })).toBe(false);
    }
    expect(mayBeOfChanges({ name: 'oak desk', id: 7, isDescending: undefined })).toBe(false);
  });

  it('has no name that is too long', () => {
    expect(read(encodeCursor({ name: 'x'.repeat(limits.listedName + 1), id: 7 }))).toBeUndefined();
  });
});
