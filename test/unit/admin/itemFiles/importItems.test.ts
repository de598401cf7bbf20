import { describe, expect, it, vi } from 'vitest';
import { importItems } from '../../../../admin/itemFiles/importItems.ts';
import type { Row } from '../../../../admin/itemFiles/readRows.ts';
import { configuration, type Reply, scripted } from '../../../support/scripted.ts';
import { sdkError } from '../../../support/sdkError.ts';

const throttled = sdkError('ThrottlingException', 400);

/** Imports one row in a dry run, from a table that gives these replies. */
async function tryRow(replies: readonly Reply[]) {
  const slowDown = vi.fn();
  const report = vi.fn();
  const limiter = { slowDown, run: (_: number, work: () => Promise<void>) => work() };
  const options = { account: 'acme', updateBy: undefined, progress: undefined, limiter: limiter as never, report };
  async function* rows(): AsyncGenerator<Row> {
    yield { line: 2, bytes: 10, body: { name: 'Chair' }, invalid: [], source: {} };
  }
  const failure = await importItems(scripted(replies).database, rows(), options).catch((error: unknown) => error);
  return { failure, slowed: slowDown.mock.calls.length, reported: report.mock.calls.map(([, result]) => result) };
}

describe('the import of a row', () => {
  it('slows down if the table was throttled, and only then', async () => {
    const account = configuration('acme');
    expect(await tryRow([account])).toEqual({ failure: undefined, slowed: 0, reported: ['created'] });
    expect(await tryRow([throttled, account])).toEqual({ failure: undefined, slowed: 1, reported: ['created'] });
  });

  it('is tried eight times if the table is not reached in time, and then ends the import', async () => {
    const { failure, ...others } = await tryRow(Array(1_000).fill(throttled));
    expect(failure).toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(others).toEqual({ slowed: 8, reported: [] });
  });
});
