import { beforeAll, describe, expect, it } from 'vitest';
import { issueToken } from '../../admin/accounts/accounts.ts';
import type { Finding } from '../../admin/verification/verifyTable.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Damage } from '../support/damage/damageRecords.ts';
import { damages, essence, sorted } from '../support/damage/damages.ts';
import { repairableDamages } from '../support/damage/repairableDamages.ts';
import { unrepairableDamages } from '../support/damage/unrepairableDamages.ts';
import { verifier } from '../support/damage/verifier.ts';
import { batch, fill, now, stored } from '../support/table/storedRecords.ts';
import {
  createTestTable,
  itemFields,
  newContainer,
  recording,
  type TestTable,
  testCall,
} from '../support/table/testTable.ts';

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
  let damaged: JsonObject[];
  let after: Awaited<ReturnType<typeof verifyOnce>>;
  let findings: Finding[];

  /** The findings, the commands that were sent, and the records at that time. */
  async function verifyOnce() {
    const { client, sent } = recording(table.client);
    const found = await verifier(table, { client, table: table.table }).verify();
    return { found, sent: new Set(sent), records: await stored(table) };
  }

  beforeAll(async () => {
    table = await createTestTable();
    for (const { name } of damages) accounts.set(name, await fill(table));
    const more = await fill(table);
    const key = { key: 'k', sent: { name: 'a' } };
    await newContainer(table)(testCall(more)).insertItem(itemFields({ sku: 'a#b#S1', pn: '✂ "x"' }), key);
    await issueToken(
      table.database.for(testCall(more)),
      { account: more, user: 'u', permissions: ['catalog:edit'], expiresAt: Math.ceil(now / 1_000) + 3_600 },
      now,
    );
    whole = await stored(table);
    const writes = damages.flatMap((damage) => damage.writes(accountFor(damage)));
    await batch(table, writes);
    damaged = await stored(table);
    after = await verifyOnce();
    findings = after.found;
  });

  it('finds all damage, and writes nothing', () => {
    expect(after.sent).toEqual(new Set(['Scan']));
    expect(after.records).toEqual(damaged);
    expect(sorted(findings.map(essence))).toEqual(sorted(damages.flatMap(({ found }) => found)));
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
