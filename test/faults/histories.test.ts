import { describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';

/** About as many as find the rarest of the known mistakes; `npm run soak` runs thousands. */
const histories = 200;

describe('histories of concurrent clients with faults', () => {
  it(`${histories} of them have no violation`, { timeout: 300_000 }, async () => {
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults });
      expect([seed, await check(history)]).toEqual([seed, []]);
    }
  });

  it('are the same for the same seed', async () => {
    const run = async () => {
      const { operations } = await runHistory({ seed: 7, clients: 4, requests: 6, faults: usualFaults });
      return operations.map(({ began, ended, body, id, answer }) => ({
        began,
        ended,
        body,
        id,
        status: answer?.status,
      }));
    };
    expect(await run()).toEqual(await run());
  });
});
