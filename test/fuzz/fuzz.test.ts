import { describe, expect, it } from 'vitest';
import { fuzzRound } from './fuzzRound.ts';
import { documentedRefusals } from './violations.ts';

/** `npm run nightly -- fuzz` sends millions. */
const eventsPerSeed = 4_000;
const seeds = [1, 2];

describe('hostile events', () => {
  const outcomesSeen = new Set<string>();
  const seedsRun = new Set<number>();

  it.each(seeds)('from seed %i get documented responses within the CPU limit', async (seed) => {
    const { failures, findings, outcomes } = await fuzzRound({ seed, runs: eventsPerSeed });
    const failed = failures.map(({ run, violations, request }) => ({
      repeat: `npm run nightly -- fuzz --seed ${seed} --runs ${run}`,
      violations,
      request: JSON.stringify(request).slice(0, 2_000),
    }));
    expect({ failed, findings }).toEqual({ failed: [], findings: [] });
    for (const outcome of outcomes.keys()) outcomesSeen.add(outcome.replace(/ \d+ /, ' '));
    seedsRun.add(seed);
  });

  it('get every documented response at least once', ({ skip }) => {
    skip(seedsRun.size < seeds.length, 'needs every seed');
    const documented = Object.entries(documentedRefusals).flatMap(([operation, codes]) =>
      codes.map((code) => `${operation} ${code}`),
    );
    expect([...outcomesSeen].sort()).toEqual(['createItem 201', 'updateItem 200', ...documented].sort());
  });
});
