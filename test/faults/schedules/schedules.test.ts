import { afterAll, describe, expect, it } from 'vitest';
import { variants } from '../variants/variants.ts';
import { explore } from './explore.ts';
import { pairs } from './pairs.ts';

/** `npm run nightly -- schedules` explores the others as well. */
const distinct = pairs.filter(({ isDistinct }) => isDistinct);

/** Only schedules leave nothing to chance: they are every order of two requests with one fault. */
describe('all promises are kept in every order of messages, with one fault anywhere, by', () => {
  const rows: { pair: string; schedules: number; outcomes: number }[] = [];

  afterAll(() => {
    const schedules = rows.reduce((sum, row) => sum + row.schedules, 0);
    console.table([...rows, { pair: `all ${rows.length}`, schedules }]);
  });

  it.each(distinct)('$name', async (pair) => {
    const { schedules, outcomes, violation } = await explore({ pair, faults: 1 });
    expect(violation).toBeUndefined();
    rows.push({ pair: pair.name, schedules, outcomes });
    // A message more or less changes the number. Far fewer mean that something is not explored any more.
    expect(schedules).toBeGreaterThan(150);
  });
});

describe('some schedule of two requests exposes the defect when', () => {
  it.each([
    'a plain update is repeated blindly',
    'each attempt at a transaction has a new token and write id',
    'no idempotency record',
    'identifiers change regardless of the stored ones',
    '"taken" is answered before conflicts are checked',
    'a lost response is resolved without a fence',
    'a refusal after a lost response is trusted',
  ] as const)('%s', async (name) => {
    for (const pair of distinct) {
      const { violation } = await explore({ pair, faults: 1, variant: variants[name] });
      if (violation === undefined) continue;
      expect(violation.violations.join('\n')).not.toContain('not documented');
      return;
    }
    expect.unreachable('no schedule exposes it');
  });
});
