import { describe, expect, it } from 'vitest';
import { retryReasons } from '../../lib/catalog/requestContext.ts';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { isOpen } from './operations.ts';
import { runHistory } from './randomHistory.ts';
import { engineScene, type SceneTable } from './scene.ts';

/** This many find the rarest known defect with a probability of 99 %. `npm run nightly -- soak` runs thousands. */
const histories = 115;
/** The maximum share of requests without a definite response. It is 11 % with these faults. */
const mostOpen = 0.13;

/** The responses and retry reasons that histories must contain to be meaningful. */
const required = [
  ...[
    '201',
    '201 replayed',
    '200',
    '200 replayed',
    '409',
    '412',
    '422 IDEMPOTENCY_KEY_REUSED',
    '422 VALIDATION_FAILED',
    '503',
  ],
  ...retryReasons,
];

/**
 * Only random histories have many clients, items, accounts and repeats at once, several faults in one request, and every
 * fault that a schedule leaves out: throttling, outages and transactions in progress.
 */
describe('histories of concurrent clients with faults', () => {
  it(`${histories} of them have no violation, and few requests without a response`, async () => {
    const seen = new Set<string>();
    let all = 0;
    let open = 0;
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults });
      expect([seed, await check(history)]).toEqual([seed, []]);
      all += history.operations.length;
      open += history.operations.filter(isOpen).length;
      for (const { status, code, replayed, stats } of history.observations) {
        seen.add(status === 422 ? `422 ${code}` : `${status}${replayed ? ' replayed' : ''}`);
        for (const reason of retryReasons) if ((stats?.retries[reason] ?? 0) > 0) seen.add(reason);
      }
    }
    expect(required.filter((what) => !seen.has(what))).toEqual([]);
    expect(open / all).toBeLessThan(mostOpen);
  });

  const outcomeOf = async (seed: number, table?: SceneTable) => {
    const { operations, records } = await runHistory({ seed, clients: 6, requests: 8, faults: usualFaults }, table);
    const responses = operations.map(({ began, ended, body, id, response }) => [began, ended, body, id, response]);
    return { responses, records };
  };

  it('have the same responses and records for the same seed, in memory and in the engine', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const inMemory = await outcomeOf(seed);
      expect(await outcomeOf(seed)).toEqual(inMemory);
      expect(await outcomeOf(seed, await engineScene())).toEqual(inMemory);
    }
  });
});
