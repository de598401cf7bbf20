import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../infra/environments.ts';
import { limits } from '../../lib/item/limits.ts';
import { RetryBudget } from '../../lib/store/database/retryPolicy.ts';
import { keys, listPartition } from '../../lib/store/records/keys.ts';
import { awsLimits } from '../scale/awsLimits.ts';
import { shown, sum } from '../scale/pageTable.ts';
import { limitsTable, needsTable, unitsTable, writes } from '../scale/paperTables.ts';
import type { Load } from '../scale/simulateCreates.ts';
import { simulateCreates } from '../scale/simulateCreates.ts';
import { hotLoads, hotTable, leasesTable, spreadLoads } from '../scale/simulatedTables.ts';
import { page, tableAfter } from '../support/pages.ts';

describe('the page on scale', () => {
  const scale = page('docs/scale.md');
  const { partitionReads, newTableWrites, newContainers, requestsPerExecution } = awsLimits;

  it.each([
    ['the AWS limits', limitsTable],
    ['the units of each write by partition', unitsTable],
    ['how much of each limit a rate uses', needsTable],
  ])('has the calculated figures: %s', async (_what, table) => {
    const { after, rows } = await table();
    expect(tableAfter(scale, after)).toEqual(rows);
  });

  it('has units by partition that add up to those measured on the engine', async () => {
    const measured = tableAfter(page('docs/design.md'), 'Of a warm container.');
    const { rows } = await unitsTable();
    for (const [index, { measured: from }] of Object.values(writes).entries()) {
      const [row, place] = from;
      const units = measured.find(([write]) => write === row)?.[2]?.split(', ')[place];
      expect([row, rows[index]?.[5]]).toEqual([row, units]);
    }
  });

  // The other rows take a minute: `npm run scale`.
  it.each([
    ['id leases', leasesTable, spreadLoads],
    ['a hot partition', hotTable, hotLoads],
  ])('has the results of simulating %s, compared for the quick rows', async (_what, table, loads) => {
    const isSmall = ({ creates }: Load) => creates <= 6_000;
    const { after, rows } = await table(1, isSmall);
    const onPage = tableAfter(scale, after);
    expect(rows).toHaveLength(loads.filter(isSmall).length);
    expect(onPage).toEqual(expect.arrayContaining([...rows]));
    expect(onPage).toHaveLength(loads.length);
  });

  it('uses the same figures in its text', () => {
    const { firewall } = settingsOf('prod');
    const containers = 100_000 / requestsPerExecution.value;
    const items = limits.page.default;
    const sentences = [
      `a page of ${items} items reads ${items} units from the items' partition, so its limit is ${partitionReads.value / items} pages`,
      `${shown(1_000 / 60)} queries per second for 1,000 containers`,
      `A new table starts with ${shown(newTableWrites.value)} write units per second`,
      `takes ${(containers / newContainers.value) * 10} s to start ${shown(containers)} containers`,
      `is per container, ${RetryBudget.full} retries`,
      `reaches at ${shown((firewall?.tokenRate ?? Number.NaN) / 300)} requests per second`,
    ];
    expect(sentences.filter((sentence) => !scale.includes(sentence))).toEqual([]);
  });
});

describe('the simulation', async () => {
  /** More than one account's items can take. */
  const load: Load = { accounts: 1, containers: 300, creates: 1_500, rate: 3_000, identifiers: 2 };
  const { answered, withoutContainer, table, seconds } = await simulateCreates(load, 1);
  const created = answered.flatMap(({ account, id }) => (id === undefined ? [] : [keys.item(account, id)]));

  it('has the same result for the same seed, and another for another seed', async () => {
    const durations = async (seed: number) => (await simulateCreates(load, seed)).answered.map((one) => one.duration);
    const expected = answered.map(({ duration }) => duration);
    expect(await durations(1)).toEqual(expected);
    expect(await durations(2)).not.toEqual(expected);
  });

  it('answers every create once, and stores exactly the items that it answers, each under its own id', () => {
    expect(answered.length + withoutContainer).toBe(load.creates);
    expect(new Set(created.map(({ sk }) => sk)).size).toBe(created.length);
    expect(created.filter((key) => table.records.record(key) === undefined)).toEqual([]);
    expect(table.records.records().filter(({ sk }) => String(sk).startsWith('ITEM#'))).toHaveLength(created.length);
  });

  it('spends the units of what it stores, and never more of a partition than its limit', () => {
    const account = 'account-0';
    const spent = (pk: string): number => table.spent.get(pk) ?? 0;
    const counter = keys.counter(account);
    expect(spent(keys.item(account, 0).pk)).toBe(2 * created.length);
    expect(spent(listPartition(account))).toBe(created.length);
    expect(10 * spent(counter.pk)).toBe(table.records.record(counter)?.['last']);
    expect(sum([...table.spent.values()])).toBe(7 * created.length + spent(counter.pk));
    expect(table.writes.throttled).toBeGreaterThan(0);
    const limit = awsLimits.partitionWrites.value * (1 + seconds);
    expect([...table.spent].filter(([, units]) => units > limit)).toEqual([]);
  });
});
