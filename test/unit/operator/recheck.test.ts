import { describe, expect, it } from 'vitest';
import { recheck } from '../../../lib/operator/verification/recheck.ts';
import type { StoredRecord } from '../../../lib/store/database/documentClient.ts';
import type { Key } from '../../../lib/store/records/keys.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../../lib/store/records/parseKey.ts';
import { guard, item } from '../../support/storedRecords.ts';

type Look = readonly StoredRecord[];
const now = 1_000_000;

/**
 * A table that changes with each read of the record with this key, or of its list of tokens. The last state remains.
 */
function changing(looks: readonly Look[], moves: Key, always: Look = []) {
  let moved = 0;
  const current = () => [...always, ...(looks[Math.min(moved, looks.length - 1)] ?? [])];
  return {
    get: async (key: Key) => {
      const found = current().find((record) => isSameKey(keyIn(record), key));
      if (isSameKey(key, moves)) moved += 1;
      return found;
    },
    query: async (partition: string) => current().filter((record) => keyIn(record).pk === partition),
    looked: () => moved,
  };
}

describe('rechecking a token', () => {
  const [account, sha256] = ['acme', 'f00'];
  const record = ({ pk, sk }: Key, expires: number) => ({
    ...{ pk: pk, sk: sk },
    ...{ account: account, hash: sha256, expires_at: expires },
  });
  const open = keys.account(account);
  const token = (expires = 1_001) => record(keys.token(sha256), expires);
  const entry = (expires = 1_001) => record(keys.tokenEntry(account, 'f0'), expires);
  const identifierProblem = async (looks: readonly Look[]) =>
    (await recheck(changing(looks, keys.token(sha256), [open]), { of: 'token', account, sha256 }, now))?.kind;

  it.each<[string, Look[], string | undefined]>([
    ['both are there', [[token(), entry()]], undefined],
    ['neither half exists, as after it was revoked', [[]], undefined],
    ['the entry is missing', [[token()]], 'token without entry'],
    ['the token is missing', [[entry()]], 'entry without token'],
    ['the token is another account’s', [[{ ...token(), account: 'other' }, entry()]], 'entry without token'],
    ['the entry is another token’s', [[token(), { ...entry(), hash: 'f01' }]], 'token without entry'],
    ['both were deleted between the reads', [[token(), entry()], []], undefined],
    ['both were deleted while the entry was read', [[token(), entry()], [entry()]], undefined],
    ['the entry of an expired token is missing', [[token(1_000)]], undefined],
    ['the token of an expired entry is missing', [[entry(1_000)]], undefined],
  ])('%s', async (_case, looks, kind) => {
    expect(await identifierProblem(looks)).toBe(kind);
  });

  it('reports a token by its account and hash', async () => {
    const records = changing([[token()]], keys.token(sha256), [open]);
    const found = await recheck(records, { of: 'token', account, sha256 }, now);
    expect(found).toEqual({ kind: 'token without entry', account, sha256 });
  });
});

describe('rechecking an identifier', () => {
  const suspect = { of: 'identifier', account: 'acme', name: 'sku', text: 'S1', items: [1] } as const;
  const at = (revision: number, fields = {}) => item('acme', 1, { revision, ...fields });
  const judged = async (looks: readonly Look[], items: readonly number[] = [1]) => {
    const records = changing(looks, keys.item('acme', 1));
    const found = await recheck(records, { ...suspect, items }, now);
    return { found, looked: records.looked() };
  };

  it('finds nothing if its guard names the item that has it', async () => {
    expect((await judged([[at(1), guard('acme', 'sku', 'S1', 1)]])).found).toBeUndefined();
  });

  it('finds nothing if no item has it and there is no guard', async () => {
    expect((await judged([[at(1, { sku: 'S2' })]])).found).toBeUndefined();
  });

  it('finds a missing guard', async () => {
    const { found } = await judged([[at(4)]]);
    const items = [{ id: 1, state: 'readable', revision: 4, hasIdentifier: true }];
    expect(found).toEqual({ kind: 'guard missing', account: 'acme', name: 'sku', text: 'S1', owner: null, items });
  });

  it('also reads the item named by its guard, and reports the items by id', async () => {
    const { found } = await judged([[at(1), item('acme', 9), guard('acme', 'sku', 'S1', 9)]]);
    expect(found).toMatchObject({ kind: 'guard mismatched', owner: 9, items: [{ id: 1 }, { id: 9 }] });
    const turned = await judged([[at(1), item('acme', 9), guard('acme', 'sku', 'S1', 9)]], [9, 1]);
    expect(turned.found).toMatchObject({ items: [{ id: 1 }, { id: 9 }] });
  });

  it('reports which of the items are missing or unreadable', async () => {
    const { found } = await judged([[at(1, { name: 1 }), guard('acme', 'sku', 'S1', 9)]]);
    expect(found).toMatchObject({
      kind: 'guard mismatched',
      items: [
        { id: 1, state: 'unreadable', revision: 1, hasIdentifier: true },
        { id: 9, state: 'absent', revision: 0, hasIdentifier: false },
      ],
    });
  });

  it('trusts a result despite one write in between, which cannot have taken and freed it again', async () => {
    expect((await judged([[at(1)], [at(2)]])).looked).toBe(2);
  });

  it.each<[string, Look[]]>([
    ['two writes', [[at(1)], [at(3)]]],
    ['a write that took it', [[at(1)], [at(2, { sku: 'S2' })]]],
    ['a removal', [[at(1)], []]],
    ['damage that made it unreadable', [[at(1)], [at(1, { name: 1 })]]],
  ])('reads again after %s in between', async (_case, looks) => {
    expect((await judged(looks, [1, 2])).looked).toBeGreaterThan(2);
  });

  it('reports it as unsettled if it changes at each of twenty reads', async () => {
    const { found, looked } = await judged(Array.from({ length: 100 }, (_, index) => [at(1 + 2 * index)]));
    expect(found).toEqual({
      kind: 'identifier unsettled',
      account: 'acme',
      name: 'sku',
      text: 'S1',
      owner: null,
      items: [],
    });
    expect(looked).toBe(40);
  });
});
