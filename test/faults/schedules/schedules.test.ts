import { describe, expect, it } from 'vitest';
import { variants } from '../variants/variants.ts';
import { explore } from './explore.ts';
import { besideOldWriter, pairs } from './pairs.ts';

/** `npm run nightly -- schedules` explores the others as well, with two faults, and the second clock ahead. */
const isNightly = process.env['NIGHTLY'] !== undefined;
const [explored, faults] = isNightly ? [[...pairs, besideOldWriter], 2] : [pairs.filter((pair) => pair.isDistinct), 1];

/** Only schedules leave nothing to chance: they are every order of two requests. */
describe('all promises are kept in every order of requests to DynamoDB, with faults anywhere, by', () => {
  it.each(explored)('$name', async (pair) => {
    // Nothing but values tells two requests of one kind apart.
    const eitherAhead = isNightly && !pair.isAlike;
    const { schedules, violation } = await explore({ scenario: pair, faults, eitherAhead });
    expect(violation).toBeUndefined();
    // One request to DynamoDB more or less changes the number. Far fewer mean that something is not explored any more.
    expect(schedules).toBeGreaterThan(100);
  });
});

/** A write in an item's history that no operation explains. */
const strangeWrite = /nobody can have written revision/;
const twoKeyedCreates = 'keyed create with a free code, keyed create with a free code';

describe('some schedule of two requests exposes the defect when', () => {
  /** A pair whose schedules show it, and the violation, so that a mere failure does not count as a caught defect. */
  const exposed: Readonly<Record<keyof typeof variants, readonly [pair: string, violation: RegExp]>> = {
    'a plain update is repeated blindly': ['plain update, plain update', strangeWrite],
    'no idempotency record': [twoKeyedCreates, /^the key of a created item is not stored/],
    'the keys of updates are ignored': ['keyed update, keyed update', /was done before, with the same key/],
    'a quantity without the condition on the unit': [
      'update of the quantity in kg, change of the unit',
      /was answered with another qty/,
    ],
    'identifiers change regardless of the stored ones': ['plain update, code move', /two updates were answered/],
    '"taken" is answered before conflicts are checked': [
      'create with a free code, create with a free code',
      /^a 409 had no other holder/,
    ],
    'a lost response is resolved without a fence': ['plain update, plain update', strangeWrite],
    'a refusal after a lost response is trusted': ['create with a taken code, code move', /^a refused create left/],
  };

  it.each(Object.entries(exposed))('%s', async (name, [requests, expected]) => {
    const pair = pairs.find((one) => one.name === requests);
    if (pair === undefined) return expect.unreachable('there is no such pair');
    const variant = variants[name as keyof typeof variants];
    const { violation } = await explore({ scenario: pair, faults: 1, variant });
    expect(violation?.violations[0]).toMatch(expected);
  });
});
