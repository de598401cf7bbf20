import { describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { RateLimiter } from '../../admin/table/rateLimiter.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { runAdmin, runAdminByLine, serviceFolder, temporaryFolder } from '../support/programs/program.ts';
import { batch, counter, gone, guard, item, put, stored } from '../support/table/storedRecords.ts';
import { createTestTable, openTestAccount } from '../support/table/testTable.ts';

/** A folder in which a service with this table runs. */
const folderOf = (table: string, dynamodb = inject('dynamodb')): string => serviceFolder({ table, dynamodb });

const run = (cwd: string, ...args: string[]) => runAdminByLine(['verify', ...args], { cwd });

const table = await createTestTable();
const account = await openTestAccount(table);
const folder = () => folderOf(table.table);
const whole = [1, 2, 3].flatMap((id) => [
  item(account, id),
  guard(account, 'sku', `S${id}`, id),
  guard(account, 'pn', `P${id}`, id),
]);
await batch(table, [...whole, counter(account, 3)].map(put));

const lost =
  'Items may be lost: restore them before you repair, which frees their identifiers for others. Page: docs/operations.md#restore';

/** The answer typed at the terminal. */
const typed = vi.hoisted(() => ({ answer: '', questions: [] as string[] }));

vi.mock('../../cli/askOnTerminal.ts', () => ({
  askOnTerminal: async (question: string) => {
    typed.questions.push(question);
    return typed.answer;
  },
}));

describe('npm run admin -- verify', () => {
  it('exits with 0 if the table is consistent', async () => {
    const { code, out, err } = await run(folder());
    expect(out).toEqual([
      expect.stringMatching(/^\d+ records scanned with \d+ capacity units: the table is consistent\.$/),
    ]);
    expect({ code, err }).toEqual({ code: 0, err: [] });
  });

  it('lists inconsistencies, repairs them only with --repair, and leaves decisions to a person', async () => {
    const whole = await stored(table);
    await batch(table, [
      gone(keys.guard(account, 'sku', 'S1')),
      put(guard(account, 'pn', '"old"', 9)),
      put(guard(account, 'pn', 'P2', 3)),
      put(counter(account, 2)),
    ]);
    const damaged = await stored(table);
    const found = [
      `Account "${account}": item 1 has the sku "S1" without a guard.`,
      `Account "${account}": item 2 has the pn "P2", but its guard names item 3, which does not have it.`,
      `Account "${account}": item 3 is above the id counter, which is at 2.`,
      `Account "${account}": the guard of the pn "\\"old\\"" names item 9, which does not exist.`,
    ];
    const kinds = ['guard missing: 1', 'guard mismatched: 1', 'guard orphaned: 1', 'id above counter: 1'];
    const seen = await run(folder());
    expect({ code: seen.code, err: seen.err }).toEqual({ code: 1, err: [] });
    expect(seen.out.slice(0, -2).sort()).toEqual([...found, ...kinds, lost].sort());
    expect(seen.out.at(-2)).toBe(lost);
    expect(seen.out.at(-1)).toMatch(/: 4 findings\.$/);
    expect(await stored(table)).toEqual(damaged);

    const repaired = await run(folder(), '--repair');
    expect({ code: repaired.code, err: repaired.err }).toEqual({ code: 0, err: [] });
    expect(repaired.out.slice(0, 4).sort()).toEqual(kinds.toSorted());
    expect(repaired.out[4]).toBe(lost);
    expect(repaired.out.slice(5, -1).sort()).toEqual([
      `${found[0]} Repaired: the guard was created.`,
      `${found[1]} Repaired: the guard now names the item that has it.`,
      `${found[2]} Repaired: the counter was raised to that id.`,
      `${found[3]} Repaired: the guard was deleted.`,
    ]);
    expect(repaired.out.at(-1)).toMatch(/: 4 findings, 4 of them repaired\.$/);
    expect(await stored(table)).toEqual(whole);

    await batch(table, [put(item(account, 2, { sku: 'S1' })), gone(keys.guard(account, 'sku', 'S2'))]);
    const left = await run(folder(), '--repair');
    expect({ code: left.code, out: left.out }).toEqual({
      code: 1,
      out: [
        `Account "${account}": the items 1 and 2 have the same sku "S1", and its guard names item 1. Left to you: decide which item keeps it, and update the others.`,
        expect.stringMatching(/: 1 finding\.$/),
      ],
    });
    const json = await run(folder(), '--repair', '--json', '--rate', '1000');
    expect(json.code).toBe(1);
    expect(json.out).toHaveLength(1);
    expect(JSON.parse(json.out[0] ?? '')).toMatchObject({
      records: (await stored(table)).length,
      remaining: 1,
      results: [
        {
          finding: { kind: 'duplicate identifier', text: 'S1' },
          repaired: [],
          remaining: { kind: 'duplicate identifier' },
        },
      ],
    });
  });

  it('frees the identifiers of more than 5 missing items only after a question, or with --lost-too', async () => {
    const own = await createTestTable();
    const account = await openTestAccount(own);
    const lostGuards = [1, 2, 3, 4, 5, 6].map((id) => guard(account, 'sku', `S${id}`, id));
    await batch(own, lostGuards.slice(1).map(put));
    const cwd = folderOf(own.table);
    expect(await run(cwd, '--repair')).toMatchObject({ code: 0, err: [] });

    await batch(own, lostGuards.map(put));
    const before = await stored(own);
    const seen = await run(cwd);
    expect(seen.out.slice(0, 2)).toEqual(['guard orphaned: 6', lost]);
    const found = '6 guards reserve identifiers for items that do not exist';
    const err = [`Nothing was repaired, because ${found}: restore these, or add --lost-too.`];
    const { isTTY } = process.stdin;
    onTestFinished(() => void Object.assign(process.stdin, { isTTY }));
    Object.assign(process.stdin, { isTTY: false });
    expect(await run(cwd, '--repair')).toEqual({ code: 1, out: ['guard orphaned: 6', lost], err });
    Object.assign(process.stdin, { isTTY: true });
    expect(await run(cwd, '--repair')).toMatchObject({
      code: 1,
      err: ['Nothing was repaired, because 6 was not typed.'],
    });
    expect(typed.questions).toEqual([`${found}. Type 6 to free them for other items: `]);
    expect(await stored(own)).toEqual(before);
    typed.answer = '6';
    expect(await run(cwd, '--repair')).toMatchObject({ code: 0, err: [] });
    await batch(own, lostGuards.map(put));
    expect(await run(cwd, '--repair', '--lost-too')).toMatchObject({ code: 0, err: [] });
    expect(typed.questions).toHaveLength(2);
  });

  it('reads at the given rate, by default 500 capacity units a second, as does the list of accounts', async () => {
    const limited = vi.spyOn(RateLimiter.prototype, 'run');
    onTestFinished(() => limited.mockRestore());
    for (const rate of [[], ['--rate', '400']]) await run(folder(), ...rate);
    await runAdmin(['account', 'list', '--rate', '300'], { cwd: folder() });
    expect(new Set(limited.mock.contexts.map((one) => (one as RateLimiter).rate))).toEqual(new Set([500, 400, 300]));
  });

  it('escapes control characters in stored text, and keeps JSON equivalent', async () => {
    const sku = 'S\u009b31m\u202e\u200b\u2028\n';
    await batch(table, [put(guard(account, 'sku', sku, 9))]);
    const shown = String.raw`"S\u009b31m\u202e\u200b\u2028\n"`;
    const { out } = await run(folder());
    expect(out).toContain(`Account "${account}": the guard of the sku ${shown} names item 9, which does not exist.`);
    const json = await run(folder(), '--repair', '--json');
    expect(json.out.join()).toContain(`"text":${shown}`);
    expect(JSON.parse(json.out.join()).results).toContainEqual(
      expect.objectContaining({ finding: expect.objectContaining({ text: sku }) }),
    );
  });

  it('fails with one sentence if no service is running or its table cannot be read', async () => {
    const none = await run(temporaryFolder());
    expect(none).toEqual({
      code: 1,
      out: [],
      err: ['No service is running on this machine: start it with npm start.'],
    });
    const killed = await run(folderOf(table.table, 'http://127.0.0.1:9'));
    expect(killed).toEqual(none);
    const { code, out, err } = await run(folderOf('no-such-table'));
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(err).toEqual([expect.stringMatching(/^The table no-such-table cannot be used: \S/)]);
  });
});
