import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { check } from '../faults/checker.ts';
import type { Variant } from '../faults/process.ts';
import { variants } from '../faults/variants/variants.ts';
import { stored } from '../support/storedRecords.ts';
import { createTestTable, openTestAccount } from '../support/testTable.ts';
import { commands } from './interleavedCommands.ts';
import { runs, testTimeout } from './runs.ts';
import { oneAtATime } from './scheduledClient.ts';
import { ScheduledRequests } from './scheduledRequests.ts';

/** Requests that overlap as the scheduler likes; what the checker of histories has against what came of them. */
const interleaving = (variant?: Variant) =>
  fc.asyncProperty(
    fc.scheduler({ act: oneAtATime }),
    fc.commands(commands, { maxCommands: 30, size: 'max' }),
    async (scheduler, sequence) => {
      const table = await createTestTable();
      const accounts = [await openTestAccount(table), await openTestAccount(table)];
      const requests = new ScheduledRequests(table, scheduler, variant);
      const { operations } = requests;
      for (const [index, account] of [...accounts, ...accounts].entries())
        requests.start(0, { account, body: { name: `first-${index}`, sku: index < 2 ? 'A' : null, unit: 'kg' } });
      await scheduler.waitFor(requests.ended());
      await fc.scheduledModelRun(scheduler, () => ({ model: { accounts, operations }, real: requests }), sequence);
      await requests.ended();
      expect(await check({ accounts, operations, planted: [], reads: [], records: await stored(table) })).toEqual([]);
    },
  );

describe('concurrent requests', () => {
  it('have the outcome of some sequential order', { timeout: testTimeout }, async () => {
    await fc.assert(interleaving(), runs);
  });

  it.each([
    ['no idempotency record', /^the key of a created item is not stored/],
    ['the idempotency record is written after the effect', /^2 items were created by one create/],
    ['metadata by read, modify, write', /^no order of writes explains item/],
    ['a quantity without the condition on the unit', /^no order of writes explains item/],
    ['identifiers change regardless of the revision', /^no order of writes explains item/],
  ])('have no such order if the store is wrong: %s', { timeout: testTimeout }, async (name, violation) => {
    const { errorInstance } = await fc.check(interleaving(variants[name]), {
      numRuns: 500,
      endOnFailure: true,
      seed: 1,
    });
    expect(errorInstance).toMatchObject({ actual: expect.arrayContaining([expect.stringMatching(violation)]) });
  });
});
