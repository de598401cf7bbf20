import { expect, it } from 'vitest';
import { jsonPointer } from '../../../lib/item/json.ts';

// The examples of RFC 6901, section 5.
it.each([
  [[], ''],
  [['foo'], '/foo'],
  [['foo', 0], '/foo/0'],
  [[''], '/'],
  [['a/b'], '/a~1b'],
  [['m~n'], '/m~0n'],
  [['~1'], '/~01'],
  [[' '], '/ '],
])('the path %j is the JSON pointer %j', (path, pointer) => {
  expect(jsonPointer(path)).toBe(pointer);
});
