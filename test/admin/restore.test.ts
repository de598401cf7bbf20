import { describe, expect, inject, it } from 'vitest';
import { type CopyOutcome, needsDecision, outcomeText, restoreProgressText } from '../../admin/restore/copyOutcome.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { change } from '../support/items/itemChange.ts';
import { root, runAdminByLine, serviceFolder } from '../support/programs/program.ts';
import { copyOf } from '../support/table/restoredTables.ts';
import { batch, gone, stored } from '../support/table/storedRecords.ts';
import { openTestCatalog } from '../support/table/testTable.ts';

const run = (cwd: string, ...args: string[]) => runAdminByLine(['restore', ...args], { cwd });

const { table: live, account, create, update } = await openTestCatalog('acme');
for (const sku of ['S1', 'S2', 'S3']) await create({ sku });
const from = await copyOf(live);
await update(2, change({ value: 5, name: '\u202eBad' }), undefined, { user: "o'neil $(id)" });
await batch(live, [
  gone(keys.item(account, 1)),
  gone(keys.item(account, 3)),
  gone(keys.guard(account, 'sku', 'S3')),
  gone(keys.unit(account, 'kg')),
]);
await create({ sku: 'S3' });

describe('npm run admin -- restore', () => {
  const to = '2026-01-01T00:00:00Z';

  const folderOf = (table = live.table): string => serviceFolder({ table, dynamodb: inject('dynamodb') });

  it('shows in a dry run what would be put back, puts it back, and then finds nothing lost', async () => {
    const args = ['--from', from.table, '--any-source', '--to', to];
    const found = (is: string) => [
      `Account "acme": item 1 was missing and ${is} put back.`,
      `Account "acme": item 2 has newer values (name, value), last written by "o'neil $(id)", and keeps them.`,
      'Account "acme": item 3 is not put back: its sku is guarded for item 4. Left to you: free it in that item, or repair the guards with verify --repair, and run the command again.',
      `The record "ACCOUNT#acme" / "UNIT#kg" was missing and ${is} put back.`,
    ];
    const undo = String.raw`To take newer values of the account acme back: npm run admin -- item undo --account acme --user 'o'\''neil $(id)' --from 2026-01-01T00:00:00.000Z --dry-run`;
    const before = await stored(live);
    const dry = await run(folderOf(), ...args, '--dry-run');
    expect({ code: dry.code, err: dry.err }).toEqual({ code: 1, err: [] });
    expect(dry.out.slice(0, -2).sort()).toEqual(found('would be'));
    expect(dry.out.slice(-2)).toEqual([
      'Items compared: 3. Would be put back: 2. Kept with newer values: 1. Left to you: 1.',
      undo,
    ]);
    expect(await stored(live)).toEqual(before);

    const done = await run(folderOf(), ...args);
    expect({ code: done.code, err: done.err }).toEqual({ code: 1, err: [] });
    expect(done.out.slice(0, -3).sort()).toEqual(found('is'));
    expect(done.out.slice(-2)).toEqual([undo, 'Now verify the table: npm run admin -- verify --repair']);

    await update(4, change({ sku: null }));
    expect(await run(folderOf(), ...args, '--account', 'acme')).toMatchObject({ code: 0 });
    expect(await run(folderOf(), ...args)).toEqual({
      code: 0,
      out: [found('is')[1], 'Items compared: 3. Put back: 0. Kept with newer values: 1. Left to you: 0.', undo],
      err: [],
    });

    const list = await run(folderOf(), ...args, '--account', 'acme', '--items', '2,2,9', '--dry-run', '--json');
    expect({ code: list.code, ...JSON.parse(list.out.join()) }).toEqual({
      ...{ code: 1, from: from.table, table: live.table, records: 1, items: 1, putBack: 0, kept: 1, left: 1 },
      results: [
        { of: 'item', account: 'acme', id: 9, result: 'no copy' },
        {
          ...{ of: 'item', account: 'acme', id: 2, result: 'kept' },
          ...{ fields: ['name', 'value'], writtenBy: "o'neil $(id)" },
        },
      ],
    });
  });

  it.each<[CopyOutcome, RegExp]>([
    [{ of: 'damaged record', key: keys.unit('acme', 'kg') }, /and is not changed\. Left to you: correct it/],
    [{ of: 'tokens', account: 'acme', count: 1 }, /not put back, .* If it was lost, issue another\.$/],
    [{ of: 'tokens', account: 'acme', count: 2 }, /not put back, .* If they were lost, issue others\.$/],
    ...(
      [
        [{ result: 'identifier taken', taken: [] }, /Left to you: free it in that item, or repair /],
        [{ result: 'id taken' }, /is not put back: .* Left to you: create it again\.$/],
        [{ result: 'damaged', problem: 'cannot be read' }, /Left to you: correct that record, or delete it and run /],
        [{ result: 'copy damaged', problem: 'cannot be read' }, /Left to you: restore to an earlier time\.$/],
        [{ result: 'rejected', message: 'Too "long"' }, /"Too \\"long\\""\)\. Left to you: shorten /],
        [{ result: 'no copy' }, /Left to you: restore to another time\.$/],
        [{ result: 'written meanwhile' }, /Left to you: run the command again\.$/],
      ] as const
    ).map(([item, advice]): [CopyOutcome, RegExp] => [{ of: 'item', account: 'acme', id: 1, ...item }, advice]),
  ])('says what to do about %j', (outcome, advice) => {
    expect(outcomeText(outcome, false)).toMatch(advice);
    expect(needsDecision(outcome)).toBe(advice.source.includes('Left to you'));
  });

  it('shows its progress', () => {
    const counts = { records: 20_000, items: 5_000, putBack: 10, kept: 0, left: 0 };
    expect(restoreProgressText(counts)).toBe('20,000 records read, 5,000 items compared, 10 put back');
  });

  it('refuses wrong arguments with one sentence', async () => {
    const given = ['--from', 'a-table', '--to', to];
    const wrong = [
      ['--to', to],
      ['--from', 'a-table'],
      ['--env', 'moon', '--to', to],
      ['--env', 'prod', '--to', 'yesterday'],
      ['--env', 'prod', '--to', '2026-01-01T00:00:00'],
      ['--env', 'prod', '--to', '2026-01-01T25:00:00Z'],
      ['--env', 'prod', '--to', '2025-02-29T00:00:00Z'],
      ['--env', 'prod', '--to', '2025-13-01T00:00:00Z'],
      ['--env', 'prod', '--to', '9999-01-03T00:00:00Z'],
      ['--env', 'prod', '--to', to, '--items', '1'],
      [...given, '--restore-only'],
      [...given, '--account', 'A#B'],
      [...given, '--account', 'acme', '--items', '1,'],
      [...given, '--account', 'acme', '--items', '0'],
      [...given, '--rate', '0'],
    ];
    for (const args of [...wrong, ['--to']])
      expect(await run(root, ...args), args.join(' ')).toEqual({
        code: 2,
        out: [],
        err: [expect.stringMatching(/^[^.]+; --help shows the options\.$/)],
      });
  });

  it('refuses a table that was not restored from the one in use', async () => {
    expect(await run(folderOf(), '--to', to, '--from', from.table)).toEqual({
      code: 1,
      out: [],
      err: [`The table ${from.table} was not restored from ${live.table}.`],
    });
  });

  it('fails with one sentence when it names the table in use, an unknown account, or no table', async () => {
    const failed = async (...args: string[]) => run(folderOf(), '--to', to, '--any-source', ...args);
    expect(await failed('--from', live.table)).toEqual({
      code: 2,
      out: [],
      err: ["Option '--from' names the table in use; --help shows the options."],
    });
    expect(await failed('--from', from.table, '--account', 'nobody')).toEqual({
      code: 1,
      out: [],
      err: ['The restored table has no account nobody.'],
    });
    expect(await failed('--from', 'no-such-table')).toEqual({
      code: 1,
      out: [],
      err: ['There is no table no-such-table.'],
    });
  });
});
