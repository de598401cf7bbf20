import { afterAll, describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';
import { variants } from './variants/variants.ts';

/** Histories that a wrong store may hide in before its test fails. */
const most = 170;

/** Of an item's life: it comes to a write that nobody can have made, or whose answer does not follow from the state before. */
const strangeWrite =
  'nobody can have written revision|the update answered revision \\d+ was (answered|read) with another|what is stored has another';
const life = (why: string) => `^no order of writes explains item \\d+ \\(.+\\): (${why})`;

/** What there is to object to in each store, so that one that only fails does not pass for one that is found out. */
const objections: Readonly<Record<string, string>> = {
  'a plain update is repeated blindly': life(strangeWrite),
  'each try of a transaction has a new token and stamp': `${life(strangeWrite)}|^the key .* does not explain 201 replayed`,
  'no idempotency record': '^\\d+ items came of one create|^the key of a created item is not kept',
  'the idempotency record is written after the effect':
    '^\\d+ items came of one create|^the key of a created item is not kept',
  'metadata by read, modify, write': life('.* another (.* and )?metadata'),
  'a quantity without the condition on the unit': life('.* another (.* and )?qty'),
  'a guard is deleted whoever owns it': '^a code has no guard',
  'codes change whatever the revision': `${life(`two updates were answered revision|${strangeWrite}`)}|^a guard has no code|^a done update was answered 412`,
  'an unknown outcome is judged without a margin for clocks': life(strangeWrite),
  'an update under a revision is repeated whoever wrote last': life(strangeWrite),
  '"taken" is answered before conflicts are looked at':
    '^a 409 had no other holder|^a refused create left|^the key .* does not explain 409',
  'a lost answer is looked up without a fence': life(strangeWrite),
  'a refusal after a lost answer is believed': `^a refused create left|${life(strangeWrite)}`,
};

describe('the checker finds a violation when', () => {
  const rows: { 'wrong on purpose': string; histories: number; violation: string }[] = [];

  afterAll(() => console.table(rows));

  it.each(Object.keys(variants))('%s', async (name) => {
    for (let seed = 1; seed <= most; seed += 1) {
      const variant = variants[name] ?? {};
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults, variant });
      const [violation] = await check(history);
      if (violation === undefined) continue;
      rows.push({ 'wrong on purpose': name, histories: seed, violation: violation.slice(0, 120) });
      expect(violation).toMatch(new RegExp(objections[name] ?? 'nothing is expected of it'));
      return;
    }
    expect.unreachable(`${most} histories without an objection`);
  });
});
