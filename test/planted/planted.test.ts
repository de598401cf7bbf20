import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import bugs from './bugs.json' with { type: 'json' };
import { placesOf } from './placesOf.ts';

it('every planted bug has one place in the sources', () => {
  const places = ({ file, find }: (typeof bugs)[number]): number =>
    existsSync(file) ? placesOf(readFileSync(file, 'utf8'), find).length - 1 : 0;
  expect(bugs.filter((bug) => places(bug) !== 1).map(({ id }) => id)).toEqual([]);
});
