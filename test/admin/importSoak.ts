import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inParallel } from '../../admin/table/inParallel.ts';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { print } from '../../cli/print.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { updateItem } from '../../lib/catalog/updateItem.ts';
import { itemPartition } from '../../lib/store/records/keys.ts';
import { verifier } from '../support/damage/verifier.ts';
import { serviceFolder } from '../support/programs/serviceFolder.ts';
import { startOwnEngine } from '../support/table/ownEngine.ts';
import { stored } from '../support/table/storedRecords.ts';
import {
  createTestTable,
  newContainer,
  openTestAccount,
  type TestTable,
  testCall,
} from '../support/table/testTable.ts';

const admin = fileURLToPath(new URL('../../admin/admin.ts', import.meta.url));

/** Each breaks a row in another way. */
const broken = [
  (id: number) => `,S${id},1,`,
  (id: number) => `Broken ${id},S${id},-1,`,
  (id: number) => `Broken ${id},S${id},1.2.3,`,
  (id: number) => `Broken ${id},S0,1,`,
  (id: number) => `Broken ${id},S${id},1,more,cells`,
  (id: number) => `Broken ${id},S${id},1e400,`,
  (id: number) => `Broken ${id},${'x'.repeat(46)},1,`,
  (id: number) => `${'x'.repeat(151)},S${id},1,`,
] as const;

/** Every tenth row is broken, if any. */
const isBroken = (id: number, withBroken: boolean): boolean => withBroken && id % 10 === 9;
const goodRow = (id: number): string => `"Item ""${id}"" of a soak",S${id},${id},'=${id}`;

function fileOf(rows: number, withBroken: boolean): string {
  const ids = Array.from({ length: rows }, (_, id) => id);
  const lineOf = (id: number) =>
    isBroken(id, withBroken) ? broken[((id - 9) / 10) % broken.length]?.(id) : goodRow(id);
  return `name,sku,value,metadata.formula\n${ids.map(lineOf).join('\n')}\n`;
}

/** Whether an account has exactly the good rows of a file, each once. */
async function differences(table: Parameters<typeof stored>[0], account: string, rows: number, withBroken: boolean) {
  const shown = (item: Record<string, unknown>) =>
    JSON.stringify([item['name'], item['sku'], item['value'], item['metadata']]);
  const found = (await stored(table)).filter(({ pk }) => pk === itemPartition(account)).map(shown);
  const due = Array.from({ length: rows }, (_, id) => id)
    .filter((id) => !isBroken(id, withBroken))
    .map((id) => shown({ name: `Item "${id}" of a soak`, sku: `S${id}`, value: id, metadata: { formula: `=${id}` } }));
  const [has, needs] = [new Set(found), new Set(due)];
  return [
    ...due.filter((row) => !has.has(row)).map((row) => `missing: ${row}`),
    ...found.filter((row) => !needs.has(row)).map((row) => `not in the file: ${row}`),
    ...(found.length > has.size ? [`${found.length - has.size} doubled`] : []),
  ];
}

type StartImport = (name: string, text: string, account: string) => { kill(): void; readonly ended: Promise<unknown> };

/**
 * Imports a file that updates what is there and creates the rest, and kills it several times. After each time, a caller
 * updates some of the items that exist.
 * @returns the acknowledged updates that the import has overwritten
 */
async function updateWhileKilled(table: TestTable, rows: number, kills: number, start: StartImport): Promise<string[]> {
  const account = await openTestAccount(table);
  const ids = Array.from({ length: rows }, (_, id) => id);
  const textOf = (some: readonly number[], tag: string) =>
    `name,sku,tag\n${some.map((id) => `Item ${id},S${id},${tag}\n`).join('')}`;
  await start(
    'existing.csv',
    textOf(
      ids.filter((id) => id % 2 === 0),
      '',
    ),
    account,
  ).ended;
  const text = textOf(ids, 'import');
  const items = async () => (await stored(table)).filter(({ pk }) => pk === itemPartition(account));
  const acknowledged = new Map<unknown, string>();
  for (let kill = 0; kill < kills; kill += 1) {
    const child = start('updates.csv', text, account);
    await sleep(600 + Math.random() * 1_500);
    child.kill();
    await child.ended;
    // The import may still change the others, because it has not come to them yet.
    const written = (await items()).filter((item) => item['tag'] !== undefined && Math.random() < 0.3);
    await inParallel(8, written.values(), async ({ id }) => {
      const tag = `caller ${kill}`;
      // After four, the item has forgotten the key of the import.
      for (let updates = Math.random() < 0.2 ? 5 : 1; updates > 0; updates -= 1) {
        const change = { id: Number(id), body: { tag }, revisions: undefined, key: randomUUID() };
        await updateItem(newContainer(table)(testCall(account)), change);
      }
      acknowledged.set(id, tag);
    });
  }
  await start('updates.csv', text, account).ended;
  const found = await items();
  const lost = found.filter(({ id, tag }) => acknowledged.has(id) && acknowledged.get(id) !== tag);
  const missing = found.length === rows ? [] : [`${found.length} items instead of ${rows}`];
  print(
    `${rows} rows that update or create, killed ${kills} times: of ${acknowledged.size} items that a caller has updated meanwhile, ${lost.length} were overwritten.`,
  );
  return [...missing, ...lost.map(({ id, tag }) => `item ${id}: ${tag} over ${acknowledged.get(id)}`)];
}

const program = createProgram(
  'npm run nightly -- import-soak',
  'Imports on the embedded engine: a file with every kind of broken row, one that is killed at random points, one that also updates items, beside a caller, and one that two processes import at once. Each is compared row by row, then exported and imported into another account.',
);
program
  .addOption(
    valueOption('--rows <number>', 'rows with broken ones among them', wholeNumber(100, 1_000_000)).default(10_000),
  )
  .addOption(
    valueOption('--killed-rows <number>', 'rows of the other imports', wholeNumber(100, 1_000_000)).default(2_000),
  )
  .addOption(valueOption('--kills <number>', 'how often one is killed', wholeNumber(0, 100)).default(10))
  .action(async ({ rows, killedRows, kills }) => {
    setLocalCredentials();
    const engine = await startOwnEngine();
    const table = await createTestTable(engine);
    const cwd = serviceFolder({ table: table.table, dynamodb: engine.dynamodb });
    const start = (...args: string[]) =>
      spawn(process.execPath, [admin, 'item', ...args, '--rate', '100000'], {
        cwd,
        stdio: ['ignore', 'ignore', 'inherit'],
      });
    const ended = async (child: ReturnType<typeof start>) => (await once(child, 'exit'))[0];
    const problems: string[] = [];
    const check = async (what: string, account: string, count: number, withBroken = false) => {
      const found = await differences(table, account, count, withBroken);
      print(`${what}: ${found.length === 0 ? 'every row is there once' : found.slice(0, 10).join('\n')}.`);
      problems.push(...found);
    };
    const write = (name: string, text: string) => {
      writeFileSync(join(cwd, name), text);
      return name;
    };
    try {
      const [first, second, third, copy] = [
        await openTestAccount(table),
        await openTestAccount(table),
        await openTestAccount(table),
        await openTestAccount(table),
      ];
      await ended(start('import', write('broken.csv', fileOf(rows, true)), '--account', first));
      await check(`${rows} rows, every tenth of them broken`, first, rows, true);
      const killed = ['import', write('killed.csv', fileOf(killedRows, false)), '--account', second];
      for (let kill = 0; kill < kills; kill += 1) {
        const child = start(...killed);
        // It may also end before it is killed.
        const end = ended(child);
        await sleep(400 + Math.random() * 1_500);
        child.kill('SIGKILL');
        await end;
      }
      await ended(start(...killed));
      await check(`${killedRows} rows, killed ${kills} times`, second, killedRows);
      const startUpdate: StartImport = (name, text, account) => {
        const child = start('import', write(name, text), '--account', account, '--update-by', 'sku');
        return { kill: () => child.kill('SIGKILL'), ended: ended(child) };
      };
      problems.push(...(await updateWhileKilled(table, killedRows, kills, startUpdate)));
      const twice = [write('one.csv', fileOf(killedRows, false)), write('two.csv', fileOf(killedRows, false))];
      await Promise.all(twice.map((name) => ended(start('import', name, '--account', third))));
      await check(`${killedRows} rows, imported twice at once`, third, killedRows);
      await ended(start('export', 'export.csv', '--account', third));
      await ended(start('import', 'export.csv', '--account', copy));
      await check(`${killedRows} rows, exported and imported`, copy, killedRows);
      const findings = await verifier(table).verify();
      print(`${findings.length} findings of the verification.`);
      process.exitCode = problems.length + findings.length === 0 ? 0 : 1;
    } finally {
      rmSync(cwd, { recursive: true });
      await engine.stop();
    }
  });
await runCommand(program);
