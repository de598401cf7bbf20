import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { itemPartition } from '../../../lib/store/records/keys.ts';
import { setLocalCredentials } from '../../../tools/cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../../tools/cli/options.ts';
import { print } from '../../../tools/cli/print.ts';
import { createProgram, runCommand } from '../../../tools/cli/runCommand.ts';
import { startOwnEngine } from '../../support/ownEngine.ts';
import { stored } from '../../support/storedRecords.ts';
import { createTestTable, openTestAccount } from '../../support/testTable.ts';
import { verifier } from '../../support/verifier.ts';
import { makeServiceFolder } from '../serviceFolder.ts';

const admin = fileURLToPath(new URL('../../../tools/admin/admin.ts', import.meta.url));

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

const program = createProgram(
  'npm run nightly -- import-soak',
  'Imports on the embedded engine: a file with every kind of broken row, one that is killed at random points, and one that two processes import at once. Each is compared row by row, then exported and imported into another account.',
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
    const cwd = makeServiceFolder({ table: table.table, dynamodb: engine.dynamodb });
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
