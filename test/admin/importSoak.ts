import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inParallel } from '../../admin/table/scanTable.ts';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { print } from '../../cli/print.ts';
import { createProgram, runCommand, valueOption, wholeNumber } from '../../cli/program.ts';
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

/** The items of the account, and starts imports into it. */
type Drill = {
  readonly account: string;
  readonly table: TestTable;
  items(): ReturnType<typeof stored>;
  start(name: string): { readonly ended: Promise<unknown>; kill(): void };
};

/**
 * Kills an import once it has written rows.
 * @returns whether it was killed, and had not ended before
 */
async function killAmidRows({ items, start }: Drill): Promise<boolean> {
  const imported = async () => (await items()).filter(({ tag }) => tag === 'import').length;
  const before = await imported();
  const { ended, kill } = start('updates.csv');
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  while (!hasEnded && (await imported()) === before) await sleep(50);
  await sleep(Math.random() * 300);
  const isAmidRows = !hasEnded;
  kill();
  await ended;
  return isAmidRows;
}

/** A caller changes some of the items that the import has written. @returns them, each with what it has now */
async function changeSome({ account, table, items }: Drill, tag: string): Promise<Map<unknown, string>> {
  const written = (await items()).filter((item) => item['tag'] !== undefined && Math.random() < 0.3);
  await inParallel(8, written.values(), async ({ id }) => {
    // After four, the item has forgotten the key of the import.
    for (let updates = Math.random() < 0.2 ? 5 : 1; updates > 0; updates -= 1) {
      const change = { id: Number(id), body: { tag }, revisions: undefined, key: randomUUID() };
      await updateItem(newContainer(table)(testCall(account)), change);
    }
  });
  return new Map(written.map(({ id }) => [id, tag]));
}

/**
 * Imports a file that updates every second of its rows and creates the others, kills it amid its rows again and again, and
 * lets a caller change items between. @returns what is wrong at the end
 */
async function drill(of: Drill, rows: number, kills: number): Promise<string[]> {
  const acknowledged = new Map<unknown, string>();
  let amidRows = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    if (await killAmidRows(of)) amidRows += 1;
    for (const [id, tag] of await changeSome(of, `caller ${kill}`)) acknowledged.set(id, tag);
  }
  await of.start('updates.csv').ended;
  const found = await of.items();
  const skus = new Set(found.map(({ sku }) => sku));
  const lost = found.filter(({ id, tag }) => tag !== (acknowledged.get(id) ?? 'import'));
  print(
    `${rows} rows, killed ${amidRows} times amid them: of ${acknowledged.size} items that a caller has changed, ${lost.length} are wrong.`,
  );
  return [
    ...(amidRows === kills ? [] : [`only ${amidRows} of ${kills} kills came amid rows`]),
    ...(kills === 0 || acknowledged.size > 0 ? [] : ['no caller has changed anything']),
    ...(found.length === rows && skus.size === rows ? [] : [`${found.length} items, ${skus.size} codes`]),
    ...lost.map(({ id, tag }) => `item ${id}: ${tag} instead of ${acknowledged.get(id) ?? 'import'}`),
  ];
}

const program = createProgram(
  'npm run nightly -- import-soak',
  'An import on the embedded engine that updates and creates, is killed amid its rows, and goes on beside a caller.',
);
program
  .addOption(valueOption('--rows <number>', 'rows of the file', wholeNumber(100, 1_000_000)).default(2_000))
  .addOption(valueOption('--kills <number>', 'how often it is killed', wholeNumber(0, 100)).default(10))
  .action(async ({ rows, kills }) => {
    setLocalCredentials();
    const engine = await startOwnEngine();
    const table = await createTestTable(engine);
    const account = await openTestAccount(table);
    const cwd = serviceFolder({ table: table.table, dynamodb: engine.dynamodb });
    const write = (name: string, step: number, tag: string) => {
      const lines = Array.from({ length: rows / step }, (_, index) => `Item ${index * step},S${index * step},${tag}`);
      writeFileSync(join(cwd, name), ['name,sku,tag', ...lines, ''].join('\n'));
    };
    write('existing.csv', 2, '');
    write('updates.csv', 1, 'import');
    const start = (name: string) => {
      const args = [admin, 'item', 'import', name, '--account', account, '--update-by', 'sku', '--rate', '100000'];
      const child = spawn(process.execPath, args, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
      return { ended: once(child, 'exit'), kill: () => void child.kill('SIGKILL') };
    };
    const items = async () => (await stored(table)).filter(({ pk }) => pk === itemPartition(account));
    try {
      await start('existing.csv').ended;
      const problems = await drill({ account, table, items, start }, rows, kills);
      const findings = (await verifier(table).verify()).map((finding) => `verification: ${JSON.stringify(finding)}`);
      for (const problem of [...problems, ...findings].slice(0, 10)) print(problem);
      process.exitCode = problems.length + findings.length === 0 ? 0 : 1;
    } finally {
      rmSync(cwd, { recursive: true });
      await engine.stop();
    }
  });
await runCommand(program);
