import { describe, expect, it } from 'vitest';
import { retryReasons } from '../../lib/catalog/requestContext.ts';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { isOpen } from './operations.ts';
import { runHistory } from './randomHistory.ts';

/** So many find the rarest of the known mistakes with 99.9 %; `npm run soak` runs thousands. */
const histories = 170;
/** Of all requests, the part whose clients may be left without a definite answer: it is 7 % with these faults. */
const mostOpen = 0.1;

/** What histories must have met, or they show little: the answers, and the reasons for which the store tried again. */
const due = [
  ...['201', '201 replayed', '200', '409', '412', '422 IDEMPOTENCY_KEY_REUSED', '422 VALIDATION_FAILED', '503'],
  ...retryReasons,
];

describe('histories of concurrent clients with faults', () => {
  it(`${histories} of them have no violation, and few requests without an answer`, { timeout: 300_000 }, async () => {
    const met = new Set<string>();
    let all = 0;
    let open = 0;
    for (let seed = 1; seed <= histories; seed += 1) {
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults });
      expect([seed, await check(history)]).toEqual([seed, []]);
      all += history.operations.length;
      open += history.operations.filter(isOpen).length;
      for (const { status, code, replayed, stats } of history.observations) {
        met.add(status === 422 ? `422 ${code}` : `${status}${replayed ? ' replayed' : ''}`);
        for (const reason of retryReasons) if ((stats?.retries[reason] ?? 0) > 0) met.add(reason);
      }
    }
    expect(due.filter((what) => !met.has(what))).toEqual([]);
    expect(open / all).toBeLessThan(mostOpen);
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
