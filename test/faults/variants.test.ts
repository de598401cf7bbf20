import { afterAll, describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';
import { variants } from './variants/variants.ts';

/** Maximum number of histories to find the defect of a wrong store. */
const most = 115;

/** A write in an item's history that no operation explains, or whose response does not follow from the state before. */
const strangeWrite =
  'nobody can have written revision|the update answered revision \\d+ was (answered|read) with another|what is stored has another';
const unexplained = (why: string) => `^no order of writes explains item \\d+ \\(.+\\): (${why})`;

/** The expected violation of each store, so that a mere failure does not count as a caught defect. */
const expectedViolations: Readonly<Record<keyof typeof variants, string>> = {
  'a plain update is repeated blindly': unexplained(strangeWrite),
  'each attempt at a transaction has a new token and write id': `${unexplained(strangeWrite)}|^the key .* does not explain 201 replayed`,
  'no idempotency record': '^\\d+ items were created by one create|^the key of a created item is not stored',
  'the keys of updates are ignored': unexplained('.* was done before, with the same key'),
  'the idempotency record is written after the effect':
    '^\\d+ items were created by one create|^the key of a created item is not stored|^the key .* does not explain',
  'metadata by read, modify, write': unexplained('.* another (.* and )?metadata|nobody can have written revision'),
  'a quantity without the condition on the unit': unexplained('.* another (.* and )?qty'),
  'a guard is deleted even if another item owns it': '^an identifier has no guard',
  'identifiers change regardless of the stored ones': `${unexplained(`two updates were answered revision|${strangeWrite}`)}|^a guard has no identifier|^a done update was answered 412`,
  'an unknown outcome is resolved without a margin for clock skew': unexplained(strangeWrite),
  'an update at a revision is repeated regardless of the last writer': unexplained(strangeWrite),
  '"taken" is answered before conflicts are checked':
    '^a 409 had no other holder|^a refused create left|^the key .* does not explain 409',
  'a lost response is resolved without a fence': unexplained(strangeWrite),
  'a refusal after a lost response is trusted': `^a refused create left|${unexplained(strangeWrite)}`,
};

describe('the checker finds a violation when', () => {
  const rows: { 'wrong on purpose': string; histories: number; violation: string }[] = [];

  afterAll(() => console.table(rows));

  it.each(Object.entries(expectedViolations))('%s', async (name, expected) => {
    for (let seed = 1; seed <= most; seed += 1) {
      const variant = variants[name as keyof typeof variants];
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults, variant });
      const [violation] = await check(history);
      if (violation === undefined) continue;
      rows.push({ 'wrong on purpose': name, histories: seed, violation: violation.slice(0, 120) });
      expect(violation).toMatch(new RegExp(expected));
      return;
    }
    expect.unreachable(`${most} histories without an objection`);
  });
});
