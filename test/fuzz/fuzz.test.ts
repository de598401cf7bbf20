import { expect, it } from 'vitest';
import { fuzzRound } from './fuzzRound.ts';
import { documentedRefusals } from './violations.ts';

/** `npm run nightly -- fuzz --seed 1` repeats them, and more. */
const runs = 700;

it('hostile bodies get documented responses within the CPU limit, and each of them at least once', async () => {
  const { failures, outcomes } = await fuzzRound({ seed: 1, runs });
  expect(failures).toEqual([]);
  const documented = Object.entries(documentedRefusals).flatMap(([operation, codes]) =>
    codes.map((code) => `${operation} ${code}`),
  );
  const seen = new Set([...outcomes.keys()].map((outcome) => outcome.replace(/ \d+ /, ' ')));
  expect([...seen].sort()).toEqual(['createItem 201', 'updateItem 200', ...documented].sort());
});
