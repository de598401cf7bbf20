import { afterAll, describe, expect, it } from 'vitest';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';
import { variants } from './variants.ts';

/** Histories that a wrong store may hide in before its test fails. */
const most = 170;

describe('the checker objects when', () => {
  const rows: { 'wrong on purpose': string; histories: number; violation: string }[] = [];

  afterAll(() => console.table(rows));

  it.each(Object.keys(variants))('%s', { timeout: 120_000 }, async (name) => {
    for (let seed = 1; seed <= most; seed += 1) {
      const variant = variants[name] ?? {};
      const history = await runHistory({ seed, clients: 8, requests: 12, faults: usualFaults, variant });
      const [violation] = await check(history);
      if (violation === undefined) continue;
      rows.push({ 'wrong on purpose': name, histories: seed, violation: violation.slice(0, 70) });
      return;
    }
    expect.unreachable(`${most} histories without an objection`);
  });
});
