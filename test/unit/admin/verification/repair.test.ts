import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../../../admin/table/rateLimiter.ts';
import { type Finding, repair } from '../../../../admin/verification/verifyTable.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import { isSameKey, keyIn, keys } from '../../../../lib/store/records/keys.ts';
import { resolved } from '../../../support/standIns/resolved.ts';
import { type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';
import { counter, guard, item } from '../../../support/table/storedRecords.ts';

const identifier = { account: 'acme', name: 'sku', text: 'S1', owner: null } as const;
const missing = (revision: number): Finding => ({
  ...{ kind: 'guard missing', ...identifier },
  items: [{ id: 1, state: 'readable', revision, hasIdentifier: true }],
});
const behind = (highest: number): Finding => ({ kind: 'id above counter', account: 'acme', highest, last: 10 });
const bare = item('acme', 1, { pn: 'P1' });
const refused = sdkError('TransactionCanceledException', 400, {
  CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
});

/** Repairs with scripted replies to its writes, in a table that has these records at each recheck. */
function run(finding: Finding, replies: readonly Reply[], stored: readonly StoredRecord[] = []) {
  const { database, sent } = scripted(replies);
  const limiter = new RateLimiter(1_000_000, database.clock);
  const records = {
    get: async (key: ReturnType<typeof keyIn>) => stored.find((record) => isSameKey(keyIn(record), key)),
    query: async () => [],
  };
  return { outcome: repair({ database, limiter }, records, finding), sent, limiter };
}

describe('a repair', () => {
  it('that is refused is made again from what a recheck then finds, and each attempt is metered', async () => {
    const stored: StoredRecord[] = [{ ...bare, revision: 2 }];
    const done: Reply = () => {
      stored.push(guard('acme', 'sku', 'S1', 1));
      return {};
    };
    const { outcome, sent, limiter } = run(missing(1), [refused, done], stored);
    expect(await outcome).toEqual({ repaired: [missing(2)], remaining: undefined });
    const checks = sent.map(({ input }) => resolved(input.TransactItems[0].ConditionCheck));
    expect(checks).toMatchObject([{ ConditionExpression: 'revision = 1' }, { ConditionExpression: 'revision = 2' }]);
    expect(limiter.spent).toBe(8);
  });

  it('is followed by a recheck, which may find that something else is wrong', async () => {
    const key = keys.item('acme', 1);
    const high: Finding = { kind: 'revision too high', key, revision: 2 ** 53 };
    const { outcome } = run(high, [{ Attributes: {} }], [{ ...bare, cost: 'much' }]);
    const remaining: Finding = { kind: 'unreadable record', key, problem: 'has a missing or wrong attribute cost' };
    expect(await outcome).toEqual({ repaired: [high], remaining });
  });

  it('is given up after five rounds', async () => {
    const { outcome, sent } = run(missing(1), Array(9).fill(refused), [bare]);
    expect(await outcome).toEqual({ repaired: [], remaining: missing(1) });
    expect(sent).toHaveLength(5);
  });

  it('is sent again if its response was lost', async () => {
    const { outcome, sent } = run(behind(40), [sdkError('TimeoutError', undefined), {}], [counter('acme', 40)]);
    expect(await outcome).toEqual({ repaired: [behind(40)], remaining: undefined });
    expect(sent).toHaveLength(2);
  });

  it('raises a counter to half of all safe integers at most', async () => {
    const most = 2 ** 52 - 1;
    const { outcome, sent } = run(behind(most), [{}], [counter('acme', most)]);
    expect(await outcome).toEqual({ repaired: [behind(most)], remaining: undefined });
    expect(sent).toHaveLength(1);
    expect(await run(behind(most + 1), []).outcome).toEqual({ repaired: [], remaining: behind(most + 1) });
  });

  it('that needs a decision writes nothing and costs nothing', async () => {
    const duplicate: Finding = { kind: 'duplicate identifier', ...identifier, items: [] };
    const { outcome, sent, limiter } = run(duplicate, []);
    expect(await outcome).toEqual({ repaired: [], remaining: duplicate });
    expect([sent, limiter.spent]).toEqual([[], 0]);
  });

  it('fails on a defect', async () => {
    const { outcome } = run(missing(1), [sdkError('AccessDeniedException', 400)], [bare]);
    await expect(outcome).rejects.toThrow('AccessDenied');
  });
});
