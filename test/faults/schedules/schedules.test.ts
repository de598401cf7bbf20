import { afterAll, describe, expect, it } from 'vitest';
import { variants } from '../variants/variants.ts';
import { explore } from './explore.ts';
import { pairs } from './pairs.ts';

/** `npm run nightly -- schedules` explores the others as well, and the second clock ahead. */
const distinct = pairs.filter(({ isDistinct }) => isDistinct);

/** Only schedules leave nothing to chance: they are every order of two requests with one fault. */
describe('all promises are kept in every order of requests to DynamoDB, with one fault anywhere, by', () => {
  const rows: { pair: string; schedules: number; outcomes: number }[] = [];

  afterAll(() => {
    const schedules = rows.reduce((sum, row) => sum + row.schedules, 0);
    console.table([...rows, { pair: `all ${rows.length}`, schedules }]);
  });

  it.each(distinct)('$name', async (pair) => {
    const { schedules, outcomes, violation } = await explore({ pair, faults: 1, eitherAhead: false });
    expect(violation).toBeUndefined();
    rows.push({ pair: pair.name, schedules, outcomes });
    // One request to DynamoDB more or less changes the number. Far fewer mean that something is not explored any more.
    expect(schedules).toBeGreaterThan(100);
  });
});

describe('some schedule of two requests exposes the defect when', () => {
  it.each([
    ['a plain update is repeated blindly', 'plain update, plain update'],
    ['each attempt at a transaction has a new token and write id', 'plain update, code move'],
    ['no idempotency record', 'keyed create with a free code, keyed create with a free code'],
    ['identifiers change regardless of the stored ones', 'plain update, code move'],
    ['"taken" is answered before conflicts are checked', 'create with a free code, create with a free code'],
    ['a lost response is resolved without a fence', 'plain update, plain update'],
    ['a refusal after a lost response is trusted', 'create with a taken code, code move'],
  ] as const)('%s: %s', async (name, requests) => {
    const pair = distinct.find((one) => one.name === requests);
    if (pair === undefined) return expect.unreachable('there is no such pair');
    const { violation } = await explore({ pair, faults: 1, eitherAhead: false, variant: variants[name] });
    expect(violation).toBeDefined();
    expect(violation?.violations.join('\n')).not.toContain('not documented');
  });
});
