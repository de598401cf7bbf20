import { describe, expect, it } from 'vitest';
import { fuzzRound } from './fuzzRound.ts';
import { refusals } from './objections.ts';

/** `npm run fuzz` sends millions. */
const eventsPerSeed = 5_000;
const seeds = [1, 2, 3, 4];

describe('hostile events', () => {
  const given = new Set<string>();
  const sent = new Set<number>();

  it.each(seeds)('of seed %i have documented answers, in bounded time', { timeout: 300_000 }, async (seed) => {
    const { failures, broken, answers } = await fuzzRound({ seed, runs: eventsPerSeed });
    const told = failures.map(({ run, objections, request }) => ({
      again: `npm run fuzz -- --seed ${seed} --runs ${run}`,
      objections,
      request: JSON.stringify(request).slice(0, 2_000),
    }));
    expect({ told, broken }).toEqual({ told: [], broken: [] });
    for (const answer of answers.keys()) given.add(answer.replace(/ \d+ /, ' '));
    sent.add(seed);
  });

  it('have all of the documented answers, so varied are they', ({ skip }) => {
    skip(sent.size < seeds.length, 'takes all of the seeds');
    const documented = Object.entries(refusals).flatMap(([operation, codes]) =>
      codes.map((code) => `${operation} ${code}`),
    );
    expect([...given].sort()).toEqual(['createItem 201', 'updateItem 200', ...documented].sort());
  });
});
