import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import bugs from './bugs.json' with { type: 'json' };
import { splitAt } from './splitAt.ts';

it.each(bugs)('$id can be planted in $file', ({ file, find }) => {
  expect(splitAt(readFileSync(file, 'utf8'), find)).toHaveLength(2);
});
