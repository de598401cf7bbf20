import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../lib/catalog/requestContext.ts';
import { AccountCache } from '../../../../lib/store/catalog/accountCache.ts';
import { readConfiguration } from '../../../../lib/store/records/accountRecord.ts';
import { beginning, configuration, type Reply, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';
import { testCall } from '../../../support/table/testTable.ts';

const own = { pk: 'ACCOUNT#acme', sk: 'ACCOUNT', default_category: 1, default_tax: 2.5, last_category: 4 };
const records = [
  own,
  { pk: 'ACCOUNT#acme', sk: 'CATEGORY#1', id: 1, name: 'General', archived: false },
  { pk: 'ACCOUNT#acme', sk: 'CATEGORY#4', id: 4, name: 'Old', archived: true },
  { pk: 'ACCOUNT#acme', sk: 'UNIT#un', code: 'un', decimals: 0 },
  { pk: 'ACCOUNT#acme', sk: 'UNIT#kg', code: 'kg', decimals: 3 },
];

describe('an account’s configuration', () => {
  it('is read from its records', () => {
    expect(readConfiguration('acme', records)).toEqual({
      id: 'acme',
      defaultCategory: 1,
      defaultTax: 2.5,
      categories: new Map([
        [1, { name: 'General', archived: false }],
        [4, { name: 'Old', archived: true }],
      ]),
      units: new Map([
        ['un', 0],
        ['kg', 3],
      ]),
    });
  });

  it('is undefined without the account’s own record', () => {
    expect(readConfiguration('acme', [])).toBeUndefined();
    expect(readConfiguration('acme', records.slice(1))).toBeUndefined();
  });

  it.each([
    { ...own, default_tax: '2.5' },
    { ...own, default_category: 1.5 },
  ])('is an error if a record cannot be read: %j', (record) => {
    expect(() => readConfiguration('acme', [record])).toThrow();
  });
});

describe('a container', () => {
  const call = (account = 'acme') => ({ ...testCall(account), deadline: Number.MAX_SAFE_INTEGER });
  const found = configuration('acme');
  const begin = (replies: readonly Reply[]) => {
    const { database, sent, pass } = scripted(replies);
    const cache = new AccountCache();
    const accounts = {
      get: (context: RequestContext) => cache.get(database.for(context)),
      current: (context: RequestContext) => cache.current(database.for(context)),
    };
    return { accounts, sent, pass };
  };

  it('caches a configuration for a minute', async () => {
    const { accounts, sent, pass } = begin([found, found]);
    await accounts.get(call());
    pass(59_999);
    await accounts.get(call());
    expect(sent).toHaveLength(1);
    pass(1);
    expect((await accounts.get(call())).units.get('kg')).toBe(3);
    expect(sent).toHaveLength(2);
  });

  it('reads it once for all concurrent requests', async () => {
    const { accounts, sent } = begin([found]);
    await Promise.all([accounts.get(call()), accounts.get(call())]);
    expect(sent).toHaveLength(1);
  });

  it('reads it immediately if the current one is requested, and caches that', async () => {
    const { accounts, sent, pass } = begin([found, { Items: found.Items.slice(0, 2) }]);
    await accounts.get(call());
    pass(50_000);
    await accounts.current(call());
    pass(50_000);
    expect((await accounts.get(call())).units.has('kg')).toBe(false);
    expect(sent).toHaveLength(2);
  });

  it.each<[string, Reply, object]>([
    ['an account that is not open', { Items: [] }, { code: 'FORBIDDEN' }],
    ['a failure', sdkError('ResourceNotFoundException', 400), { name: 'ResourceNotFoundException' }],
  ])('does not cache %s', async (_case, reply, error) => {
    const { accounts } = begin([reply, found]);
    await expect(accounts.get(call())).rejects.toMatchObject(error);
    expect(await accounts.get(call())).toMatchObject({ id: 'acme' });
  });

  it('caches what was read after a failure', async () => {
    const { accounts, sent } = begin([sdkError('ResourceNotFoundException', 400), found]);
    const failing = accounts.get(call());
    await accounts.current(call());
    await expect(failing).rejects.toThrow();
    await accounts.get(call());
    expect(sent).toHaveLength(2);
  });

  it('keeps its entry if it cannot be read again, unless the account was closed', async () => {
    const down = sdkError('ResourceNotFoundException', 400);
    const { accounts, sent } = begin([found, down, { Items: [] }, found]);
    await accounts.get(call());
    await expect(accounts.current(call())).rejects.toThrow();
    const late = { ...call(), deadline: beginning };
    await expect(accounts.current(late)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(await accounts.get(call())).toMatchObject({ id: 'acme' });
    expect(sent).toHaveLength(2);
    await expect(accounts.current(call())).rejects.toMatchObject({ code: 'FORBIDDEN' });
    await accounts.get(call());
    expect(sent).toHaveLength(4);
  });

  it('caches 1,000 accounts, and evicts the one that was read first', async () => {
    const names = Array.from({ length: 1_001 }, (_, index) => `a${index}`);
    const again = ['a0', 'a1'].map(configuration);
    const { accounts, sent } = begin([...names.slice(0, 1_000).map(configuration), ...again, configuration('a1000')]);
    for (const name of names.slice(0, 1_000)) await accounts.get(call(name));
    for (const name of names.slice(0, 1_000)) await accounts.get(call(name));
    expect(sent).toHaveLength(1_000);
    // Read again, it is the last to be evicted.
    await accounts.current(call('a0'));
    await accounts.current(call('a1'));
    await accounts.get(call('a1000'));
    for (const name of ['a0', 'a1', 'a3', 'a1000']) await accounts.get(call(name));
    expect(sent).toHaveLength(1_003);
    await expect(accounts.get(call('a2'))).rejects.toThrow('Nothing answers');
  });
});
