import { describe, expect, it } from 'vitest';
import type { Check, Records } from '../../../../admin/verification/check.ts';
import { categoryIds, itemIds } from '../../../../admin/verification/checks/assignedIds.ts';
import { identifiers } from '../../../../admin/verification/checks/identifiers.ts';
import { listPositions } from '../../../../admin/verification/checks/listPositions.ts';
import { tokens } from '../../../../admin/verification/checks/tokens.ts';
import type { JsonObject } from '../../../../lib/item/json.ts';
import type { Key } from '../../../../lib/store/database/record.ts';
import { newAccountRecord } from '../../../../lib/store/records/accountRecord.ts';
import { isSameKey, keyIn, keys, tokenListPartition } from '../../../../lib/store/records/keys.ts';
import { counter, guard, item } from '../../../support/table/storedRecords.ts';

const now = 1_000_000;
const account = 'acme';
type State = readonly JsonObject[];

/** A table that changes after each read, or after each read of one key or partition. The last state remains. */
function changing(states: readonly State[], after: (read: Key | string) => boolean = () => true) {
  let changes = 0;
  const read = <Found>(what: Key | string, find: (state: State) => Found): Found => {
    const found = find(states[Math.min(changes, states.length - 1)] ?? []);
    if (after(what)) changes += 1;
    return found;
  };
  const records: Records = {
    get: async (key) => read(key, (state) => state.find((record) => isSameKey(keyIn(record), key))),
    query: async (partition) => read(partition, (state) => state.filter(({ pk }) => pk === partition)),
  };
  return { records, changes: () => changes };
}

/** What a check finds when it rechecks a suspect in a table that changes after each read. */
const found = <Finding extends { kind: string }, Suspect>(
  check: Check<Finding, Suspect>,
  suspect: Suspect,
  ...states: State[]
) => check.recheck(changing(states).records, suspect, now);

const first = { account, id: 1 };
const { name: _, ...nameless } = item(account, 1, { list_sk: 'other' });

describe('a suspect is not reported', () => {
  it.each<[string, () => Promise<unknown>]>([
    [
      'if the category id was counted',
      () => found(categoryIds, { account, highest: 2 }, [{ ...newAccountRecord(account), last_category: 2 }]),
    ],
    ['if the counter was raised', () => found(itemIds, { account, highest: 7 }, [counter(account, 7)])],
    ['if the item was listed', () => found(listPositions, first, [item(account, 1)])],
    ['if the unlisted item was deleted', () => found(listPositions, first, [])],
    ['if the unlisted item is unreadable, which is a separate finding', () => found(listPositions, first, [nameless])],
  ])('%s', async (_case, recheck) => {
    expect(await recheck()).toBeUndefined();
  });
});

describe('a token', () => {
  const suspect = { account, sha256: 'f00' };
  const token = (expires_at = 1_001) => ({ ...keys.token('f00'), account, expires_at });
  const entry = (expires_at = 1_001) => ({ ...keys.tokenEntry(account, 'f0'), hash: 'f00', expires_at });
  const after = (what: string) => (read: Key | string) => (typeof read === 'string' ? read : read.pk) === what;

  it('is reported by its account and hash', async () => {
    expect(await found(tokens, suspect, [token()])).toEqual({ kind: 'token without entry', ...suspect });
  });

  it.each<[string, State[], string]>([
    ['it was revoked', [[]], ''],
    ['it was issued after it was looked for', [[], [token(), entry()]], keys.token('f00').pk],
    ['it was revoked after it was read', [[token(), entry()], []], keys.token('f00').pk],
    ['it was revoked after the list was read', [[token(), entry()], []], tokenListPartition(account)],
    ['it has expired, and its entry was deleted', [[token(1_000)]], ''],
    ['its entry has expired, and it was deleted', [[entry(1_000)]], ''],
  ])('is not reported if %s', async (_case, states, what) => {
    const open = states.map((state) => [...state, newAccountRecord(account)]);
    expect(await tokens.recheck(changing(open, after(what)).records, suspect, now)).toBeUndefined();
  });
});

describe('an identifier', () => {
  const suspect = { account, name: 'sku', text: 'S1' } as const;
  const at = (revision: number, fields = {}) => item(account, 1, { revision, ...fields });
  const isFirst = (read: Key | string) => typeof read !== 'string' && isSameKey(read, keys.item(account, 1));
  const recheck = async (states: readonly State[], ids: readonly number[] = [1]) => {
    const { records, changes } = changing(states, isFirst);
    const finding = await identifiers.recheck(records, { ...suspect, items: ids.map((id) => ({ id })) }, now);
    return { finding, reads: changes() };
  };

  it.each<[string, State]>([
    ['has its guard', [at(1), guard(account, 'sku', 'S1', 1)]],
    ['was freed, and has no guard', [at(1, { sku: 'S2' })]],
  ])('is not reported if it %s', async (_case, state) => {
    expect((await recheck([state])).finding).toBeUndefined();
  });

  it('is reported with the item that has it', async () => {
    const items = [{ id: 1, state: 'readable', revision: 4, hasIdentifier: true }];
    expect((await recheck([[at(4)]])).finding).toEqual({ kind: 'guard missing', ...suspect, owner: null, items });
  });

  it('is reported with the item that its guard names, by id, and which are missing or unreadable', async () => {
    const { finding } = await recheck([[at(1, { name: 1 }), guard(account, 'sku', 'S1', 9)]], [9, 1]);
    const items = [
      { id: 1, state: 'unreadable', revision: 1, hasIdentifier: true },
      { id: 9, state: 'absent', revision: 0, hasIdentifier: false },
    ];
    expect(finding).toEqual({ kind: 'guard mismatched', ...suspect, owner: 9, items });
    expect((await recheck([[at(1, { name: 1 }), guard(account, 'sku', 'S1', 9)]])).finding).toEqual(finding);
  });

  it.each<[string, State[]]>([
    ['a write', [[at(1)], [at(2)]]],
    ['a write that freed it', [[at(1)], [at(2, { sku: 'S2' })]]],
    ['a removal', [[at(1)], []]],
    ['damage that made it unreadable', [[at(1)], [at(1, { name: 1 })]]],
  ])('is read again after %s between the reads', async (_case, states) => {
    expect((await recheck(states, [1, 2])).reads).toBeGreaterThan(2);
  });

  it('is left to the next verification if a write came between both reads of each of three looks', async () => {
    const { finding, reads } = await recheck(Array.from({ length: 100 }, (_, index) => [at(1 + index)]));
    expect(finding).toBeUndefined();
    expect(reads).toBe(6);
  });
});
