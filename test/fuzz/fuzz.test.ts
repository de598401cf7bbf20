import { expect, it } from 'vitest';
import { fuzzRound } from './fuzzRound.ts';
import { documentedRefusals } from './violations.ts';

/** `npm run nightly -- fuzz` sends millions. */
const runs = 4_000;
const seed = 1;

it('hostile events get documented responses within the CPU limit, and each of them at least once', async () => {
  const { failures, findings, outcomes } = await fuzzRound({ seed, runs });
  const failed = failures.map(({ run, violations, request }) => ({
    repeat: `npm run nightly -- fuzz --seed ${seed} --runs ${run}`,
    violations,
    request: JSON.stringify(request).slice(0, 2_000),
  }));
  expect({ failed, findings }).toEqual({ failed: [], findings: [] });
  const documented = Object.entries(documentedRefusals).flatMap(([operation, codes]) =>
    codes.map((code) => `${operation} ${code}`),
  );
  const seen = new Set([...outcomes.keys()].map((outcome) => outcome.replace(/ \d+ /, ' ')));
  expect([...seen].sort()).toEqual(['createItem 201', 'updateItem 200', ...documented].sort());
});
