import type { WriteRequest } from '@aws-sdk/client-dynamodb';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import type { Finding, IdentifierFinding } from '../../lib/operator/verification/recheck.ts';
import { verifyRecords } from '../../lib/operator/verification/verifyTable.ts';
import type { IdentifierName } from '../../lib/store/records/keys.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { keyIn } from '../../lib/store/records/parseKey.ts';
import { batch, count, counter, fill, gone, guard, item, now, put, stored } from '../support/storedRecords.ts';
import type { TestTable } from '../support/testTable.ts';
import {
  createTestTable,
  itemFields,
  newContainer,
  openTestAccount,
  recording,
  testCall,
} from '../support/testTable.ts';
import { verifier } from '../support/verifier.ts';

const without = (record: JsonObject, name: string): JsonObject =>
  Object.fromEntries(Object.entries(record).filter(([key]) => key !== name));

const codeFinding = (
  kind: IdentifierFinding['kind'],
  name: IdentifierName,
  code: string,
  owner: number | null,
  holders: number[],
) => ({
  kind,
  name,
  code,
  owner,
  holders,
});

/** A finding without what differs from table to table. */
function essence(finding: Finding): unknown {
  if (finding.kind === 'unreadable record') return { kind: finding.kind, problem: finding.problem };
  if (!('items' in finding)) return { ...finding, account: undefined, sha256: undefined };
  const { kind, name, text, owner, items } = finding;
  return codeFinding(
    kind,
    name,
    text,
    owner,
    items
      .filter(({ hasIdentifier }) => hasIdentifier)
      .map(({ id }) => id)
      .sort((a, b) => a - b),
  );
}

interface Damage {
  readonly name: string;
  readonly writes: (account: string) => WriteRequest[];
  readonly found: unknown[];
}

/** Damage that is repaired: afterwards every record is as it was before. */
const mendable: Damage[] = [
  {
    name: 'an item without the guard of its sku',
    writes: (account) => [gone(keys.guard(account, 'sku', 'S1'))],
    found: [codeFinding('guard missing', 'sku', 'S1', null, [1])],
  },
  {
    name: 'an item without both of its guards',
    writes: (account) => [gone(keys.guard(account, 'sku', 'S2')), gone(keys.guard(account, 'pn', 'P2'))],
    found: [codeFinding('guard missing', 'sku', 'S2', null, [2]), codeFinding('guard missing', 'pn', 'P2', null, [2])],
  },
  {
    name: 'a guard whose item does not exist',
    writes: (account) => [put(guard(account, 'pn', 'lost # 1', 1_999_999))],
    found: [codeFinding('guard orphaned', 'pn', 'lost # 1', 1_999_999, [])],
  },
  {
    name: 'a guard whose item has another code, and one whose item has none',
    writes: (account) => [put(guard(account, 'sku', 'S1x', 1)), put(guard(account, 'sku', '', 10))],
    found: [codeFinding('guard orphaned', 'sku', 'S1x', 1, []), codeFinding('guard orphaned', 'sku', '', 10, [])],
  },
  {
    name: "a code whose guard names another item, and one whose guard's item does not exist",
    writes: (account) => [put(guard(account, 'sku', 'S3', 4)), put(guard(account, 'pn', 'P5', 1_999_999))],
    found: [
      codeFinding('guard mismatched', 'sku', 'S3', 4, [3]),
      codeFinding('guard mismatched', 'pn', 'P5', 1_999_999, [5]),
    ],
  },
  {
    name: 'guards that were exchanged',
    writes: (account) => [put(guard(account, 'sku', 'S6', 7)), put(guard(account, 'sku', 'S7', 6))],
    found: [codeFinding('guard mismatched', 'sku', 'S6', 7, [6]), codeFinding('guard mismatched', 'sku', 'S7', 6, [7])],
  },
  {
    name: 'ids above the counter',
    writes: (account) => [put(counter(account, 12))],
    found: [{ kind: 'id above counter', highest: count, last: 12 }],
  },
  {
    name: 'a counter that is missing',
    writes: (account) => [gone(keys.counter(account))],
    found: [{ kind: 'id above counter', highest: count, last: null }],
  },
];

/** Damage that is left as it is. */
const leftAlone: Damage[] = [
  {
    name: 'a code that two items have, of which one is named by the guard',
    writes: (account) => [put(item(account, 8, { sku: 'S9' })), gone(keys.guard(account, 'sku', 'S8'))],
    found: [codeFinding('duplicate identifier', 'sku', 'S9', 9, [8, 9])],
  },
  {
    name: 'a code that two items have without guard',
    writes: (account) => [
      put(item(account, 8, { pn: 'P9' })),
      gone(keys.guard(account, 'pn', 'P8')),
      gone(keys.guard(account, 'pn', 'P9')),
    ],
    found: [codeFinding('duplicate identifier', 'pn', 'P9', null, [8, 9])],
  },
  {
    name: 'a code that three items have, while the guard names a fourth',
    writes: (account) => [
      put(item(account, 10, { sku: 'S9' })),
      put(item(account, 20, { sku: 'S9' })),
      put(guard(account, 'sku', 'S9', 30)),
    ],
    found: [codeFinding('duplicate identifier', 'sku', 'S9', 30, [9, 10, 20])],
  },
  {
    name: 'an id that no counter has given out',
    writes: (account) => [put(item(account, 9_007_199_254_740_980))],
    found: [{ kind: 'id above counter', highest: 9_007_199_254_740_980, last: count }],
  },
  {
    name: 'an item that lacks an attribute, with codes and guards as they should be',
    writes: (account) => [put(without(item(account, 1), 'name'))],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute name' }],
  },
  {
    name: 'an item that cannot be read, and has no guard',
    writes: (account) => [put(item(account, 1, { metadata: 'none' })), gone(keys.guard(account, 'sku', 'S1'))],
    found: [
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute metadata' },
      codeFinding('guard missing', 'sku', 'S1', null, [1]),
    ],
  },
  {
    name: 'an item with an attribute of an unknown type',
    writes: (account) => [put({ ...item(account, 1), tag: new Set(['a']) })],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute tag' }],
  },
  {
    name: "an item under another item's key",
    writes: (account) => [put({ ...item(account, 1), id: 2 })],
    found: [{ kind: 'unreadable record', problem: 'says that it belongs under another key' }],
  },
  {
    name: 'a guard that names no item',
    writes: (account) => [put({ ...guard(account, 'sku', 'S1', 1), item_id: '1' })],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute item_id' }],
  },
  {
    name: 'a counter that is no number',
    writes: (account) => [put({ ...counter(account, 0), last: '12' })],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute last' }],
  },
  {
    name: 'records of an unknown kind',
    writes: (account) => [
      put({ pk: `ACCOUNT#${account}#ITEMS`, sk: 'ITEM#7' }),
      put({ pk: `ACCOUNT#${account}#EAN#1`, sk: 'GUARD' }),
      put({ pk: `ACCOUNT#${account}#ITEMS#1`, sk: 'GUARD' }),
    ],
    found: Array(3).fill({ kind: 'unreadable record', problem: 'has a key of no known kind of record' }),
  },
  {
    name: 'a broken configuration',
    writes: (account) => [
      put({ ...keys.category(account, 2), ...{ id: 3, name: 'Furniture', archived: false } }),
      put({ ...keys.unit(account, 'kg'), ...{ code: 'kg' } }),
      put(keys.account(account)),
    ],
    found: [
      { kind: 'unreadable record', problem: 'says that it belongs under another key' },
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute decimals' },
      { kind: 'unreadable record', problem: 'has a missing or wrong attribute default_tax' },
    ],
  },
  {
    name: 'an idempotency record without its item',
    writes: (account) => [
      put({
        ...keys.idempotency(account, 'f00'),
        ...{ fingerprint: 'a', item: {}, expires_at: now },
      }),
    ],
    found: [{ kind: 'unreadable record', problem: 'has a missing or wrong attribute id' }],
  },
];

const damages = [...mendable, ...leftAlone];

/** Findings without their order, as texts that a failing test can show. */
const sorted = (findings: readonly unknown[]): string[] => findings.map((finding) => JSON.stringify(finding)).sort();

const accountOf = (finding: Finding): string | undefined =>
  finding.kind === 'unreadable record' ? finding.key.pk.split('#')[1] : finding.account;

/** The records of an account. */
const under = (account: string, records: readonly JsonObject[]): JsonObject[] =>
  records.filter(({ pk }) => String(pk).split('#')[1] === account);

describe('in a table that is damaged in every way', () => {
  let table: TestTable;
  /** An account for each damage, by its name. */
  const accounts = new Map<string, string>();
  const accountFor = ({ name }: Damage): string => accounts.get(name) ?? '';
  let whole: JsonObject[];
  let before: Awaited<ReturnType<typeof look>>;
  let damaged: JsonObject[];
  let after: Awaited<ReturnType<typeof look>>;
  let findings: Finding[];

  /** What is found, how far it was told to be, which commands were sent, and the records that were there then. */
  async function look() {
    const { client, sent } = recording(table.client);
    const { verify, progress } = verifier(table, { client, table: table.table });
    const found = await verify();
    return { found, progress, sent: new Set(sent), records: await stored(table) };
  }

  beforeAll(async () => {
    table = await createTestTable();
    for (const { name } of damages) accounts.set(name, await fill(table));
    const more = await fill(table);
    const key = { key: 'k', fingerprint: () => 'a' };
    await newContainer(table).insertItem(testCall(more), itemFields({ sku: 'a#b#S1', pn: '✂ "x"' }), key);
    await issueToken(
      table.database,
      testCall(more),
      { account: more, user: 'u', permissions: ['catalog:edit'], expiresAt: now },
      now,
    );
    whole = await stored(table);
    before = await look();
    await batch(
      table,
      damages.flatMap((damage) => damage.writes(accountFor(damage))),
    );
    damaged = await stored(table);
    after = await look();
    findings = after.found;
  });

  it('finds nothing before', async () => {
    expect(before.found).toEqual([]);
    expect(before.progress).toEqual({ records: whole.length, suspects: 0, rechecked: 0 });
    expect(await verifyRecords(whole, now)).toEqual([]);
  });

  it('finds all damage, and writes nothing', () => {
    expect(after.sent).toEqual(new Set(['Scan']));
    expect(after.records).toEqual(damaged);
    expect(findings).toHaveLength(damages.flatMap(({ found }) => found).length);
  });

  it.each(damages)('finds $name, and nothing else', ({ name, found }) => {
    const own = findings.filter((finding) => accountOf(finding) === accounts.get(name));
    expect(sorted(own.map(essence))).toEqual(sorted(found));
  });

  it('finds the same in a list of its records', async () => {
    expect(sorted(await verifyRecords(damaged, now))).toEqual(sorted(findings));
  });

  describe('of which it repairs what takes no decision', () => {
    let repaired: JsonObject[];

    beforeAll(async () => {
      const { repair: mendFinding } = verifier(table);
      for (const finding of findings) {
        const isMendable = mendable.some((damage) => accountFor(damage) === accountOf(finding));
        const left = isMendable ? { repaired: [finding], remaining: undefined } : { repaired: [], remaining: finding };
        expect(await mendFinding(finding)).toEqual(left);
      }
      repaired = await stored(table);
    });

    it.each(mendable)('repairs $name', (damage) => {
      expect(under(accountFor(damage), repaired)).toEqual(under(accountFor(damage), whole));
    });

    it.each(leftAlone)('leaves $name to a person', (damage) => {
      expect(under(accountFor(damage), repaired)).toEqual(under(accountFor(damage), damaged));
    });

    it('touches nothing else, and finds only what it has left', async () => {
      const others = (records: JsonObject[]) =>
        records.filter(({ pk }) => ![...accounts.values()].includes(String(pk).split('#')[1] ?? ''));
      expect(others(repaired)).toEqual(others(whole));
      const left = await verifier(table).verify();
      expect(sorted(left.map(essence))).toEqual(sorted(leftAlone.flatMap(({ found }) => found)));
    });
  });
});

describe('the list of tokens', () => {
  let table: TestTable;
  let account: string;
  const second = Math.floor(now / 1_000);
  const found = async () => (await verifier(table).verify()).map(({ kind }) => kind).sort();

  /** Issues a token, and takes away one of its records. */
  async function issueHalf(missing: 'token' | 'entry', expiresAt: number): Promise<void> {
    const caller = { account, user: 'u', permissions: ['catalog:edit'] as const, expiresAt };
    const before = await stored(table);
    await issueToken(table.database, testCall(account), caller, now);
    const records = (await stored(table)).filter(
      (record) => !before.some(({ pk, sk }) => pk === record['pk'] && sk === record['sk']),
    );
    const half = records.find(({ pk }) => String(pk).startsWith('TOKEN#') === (missing === 'token'));
    await batch(table, [gone(keyIn(half ?? {}))]);
  }

  beforeEach(async () => {
    table = await createTestTable();
    account = await openTestAccount(table);
  });

  it('may lose the records of ended tokens one by one, as DynamoDB deletes them', async () => {
    await issueHalf('token', second - 10);
    await issueHalf('entry', second - 10);
    expect(await found()).toEqual([]);
  });

  it('has every token, and no other', async () => {
    await issueHalf('token', second + 3_600);
    expect(await found()).toEqual(['entry without token']);
    await issueHalf('entry', second + 3_600);
    expect(await found()).toEqual(['entry without token', 'token without entry']);
  });

  it('is of one account', async () => {
    await issueHalf('token', second + 3_600);
    const other = await openTestAccount(table);
    const entries = (await stored(table)).filter(({ pk }) => pk === `TOKENS#${account}`);
    await batch(
      table,
      entries.map((entry) => put({ ...entry, pk: `TOKENS#${other}` })),
    );
    expect(await found()).toEqual(['entry without token', 'entry without token']);
  });
});
