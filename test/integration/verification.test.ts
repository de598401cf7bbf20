import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { issueToken } from '../../lib/operator/tokens.ts';
import type { Finding } from '../../lib/operator/verification/finding.ts';
import { verifyRecords } from '../../lib/operator/verification/verifyTable.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { keyIn } from '../../lib/store/records/parseKey.ts';
import type { Damage } from '../support/damages.ts';
import { damages, essence, repairableDamages, sorted, unrepairableDamages } from '../support/damages.ts';
import { batch, fill, gone, item, now, put, stored } from '../support/storedRecords.ts';
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

/** The account of a finding, and of a record. A token has its account as an attribute. */
function accountOf(one: Finding | JsonObject): unknown {
  if ('account' in one) return one.account;
  const { pk } = 'key' in one ? (one.key as JsonObject) : (one as JsonObject);
  return String(pk).split('#')[1];
}

/** The records of an account. */
const under = (account: string, records: readonly JsonObject[]): JsonObject[] =>
  records.filter((record) => accountOf(record) === account);

describe('verifying a table that is damaged in every way', () => {
  let table: TestTable;
  /** An account for each damage, by its name. */
  const accounts = new Map<string, string>();
  const accountFor = ({ name }: Damage): string => accounts.get(name) ?? '';
  let whole: JsonObject[];
  let before: Awaited<ReturnType<typeof look>>;
  let damaged: JsonObject[];
  let after: Awaited<ReturnType<typeof look>>;
  let findings: Finding[];

  /** The findings, the reported progress, the commands that were sent, and the records at that time. */
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
    const key = { key: 'k', sent: { name: 'a' } };
    await newContainer(table).insertItem(testCall(more), itemFields({ sku: 'a#b#S1', pn: '✂ "x"' }), key);
    await issueToken(
      table.database,
      testCall(more),
      { account: more, user: 'u', permissions: ['catalog:edit'], expiresAt: Math.ceil(now / 1_000) + 3_600 },
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

  it('finds nothing before the damage', async () => {
    expect(before.found).toEqual([]);
    expect(before.progress).toEqual({ records: whole.length, suspects: 0, rechecked: 0 });
    expect(await verifyRecords(whole, Date.now())).toEqual([]);
  });

  it('finds all damage, and writes nothing', () => {
    expect(after.sent).toEqual(new Set(['Scan']));
    expect(after.records).toEqual(damaged);
    expect(sorted(findings.map(essence))).toEqual(sorted(damages.flatMap(({ found }) => found)));
  });

  it('finds the same in a snapshot of its records', async () => {
    expect(sorted(await verifyRecords(damaged, Date.now()))).toEqual(sorted(findings));
  });

  describe('with repair', () => {
    let repaired: JsonObject[];

    beforeAll(async () => {
      const { repair: mendFinding } = verifier(table);
      for (const finding of findings) {
        const isMendable = repairableDamages.some((damage) => accountFor(damage) === accountOf(finding));
        const left = isMendable ? { repaired: [finding], remaining: undefined } : { repaired: [], remaining: finding };
        expect(await mendFinding(finding)).toEqual(left);
      }
      repaired = await stored(table);
    });

    it.each(repairableDamages)('repairs $name', (damage) => {
      expect(under(accountFor(damage), repaired)).toEqual(under(accountFor(damage), whole));
    });

    it.each(unrepairableDamages)('does not repair $name, which a person must decide', (damage) => {
      expect(under(accountFor(damage), repaired)).toEqual(under(accountFor(damage), damaged));
    });

    it('changes nothing else, and then finds only what it did not repair', async () => {
      const others = (records: JsonObject[]) =>
        records.filter(
          (record) => ![...accounts.values()].some((account) => String(accountOf(record)).startsWith(account)),
        );
      expect(others(repaired)).toEqual(others(damaged));
      const left = await verifier(table).verify();
      expect(sorted(left.map(essence))).toEqual(sorted(unrepairableDamages.flatMap(({ found }) => found)));
    });
  });
});

describe('idempotency records that never expire', () => {
  it('expire in 24 hours after a repair, and others are unchanged', async () => {
    const table = await createTestTable();
    const account = await fill(table);
    const second = Math.floor(now / 1_000);
    const recordsOf = (ends: readonly unknown[]) =>
      ends.map((expires_at, index) => ({
        ...{ ...keys.idempotency(account, `f${index}`), fingerprint: 'a', item: item(account, 1) },
        ...(expires_at !== undefined && { expires_at }),
      }));
    await batch(table, recordsOf([undefined, 'soon', second + 2 * 86_400, 2 ** 60, second + 60]).map(put));
    const { verify, repair } = verifier(table);
    const findings = await verify();
    expect(findings.map(({ kind }) => kind)).toEqual(Array(4).fill('idempotency record expiry'));
    for (const finding of findings)
      expect(await repair(finding)).toEqual({ repaired: [finding], remaining: undefined });
    const ends = (await stored(table))
      .filter(({ sk }) => sk === 'REQUEST')
      .map((record) => Number(record['expires_at']));
    for (const end of ends.slice(0, 4)) expect(Math.abs(end - Date.now() / 1_000 - 86_400)).toBeLessThan(60);
    expect(ends[4]).toBe(second + 60);
    expect(await verify()).toEqual([]);
  });
});

describe('the token list of an account', () => {
  let table: TestTable;
  let account: string;
  const second = Math.floor(now / 1_000);
  const found = async () => (await verifier(table).verify()).map(({ kind }) => kind).sort();

  /** Issues a token, and deletes one of its records. */
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

  it('may lose the records of expired tokens one by one, as DynamoDB deletes them', async () => {
    await issueHalf('token', second - 10);
    await issueHalf('entry', second - 10);
    expect(await found()).toEqual([]);
  });

  it('has every token and no other', async () => {
    await issueHalf('token', second + 3_600);
    expect(await found()).toEqual(['entry without token']);
    await issueHalf('entry', second + 3_600);
    expect(await found()).toEqual(['entry without token', 'token without entry']);
  });

  it('has no tokens of other accounts', async () => {
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
