import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { inParallel } from '../admin/table/inParallel.ts';
import { operatorSession } from '../admin/table/operatorSession.ts';
import { transact } from '../lib/store/database/writes.ts';
import { startOwnEngine } from '../test/support/ownEngine.ts';
import { serviceFolder } from '../test/support/serviceFolder.ts';
import { guard, item } from '../test/support/storedRecords.ts';
import { createTestTable, openTestAccount } from '../test/support/testTable.ts';
import { project } from './programs.ts';

/** As many as the import has. */
const workers = 16;

/**
 * Imports rows with a sku by the command, in a process of its own, beside the same number of bare transactions of an item,
 * a guard and a record of the same size in this one.
 * @returns rows a second, and the import's resident memory in MB after each tenth of its time
 */
export async function measureImport(rows: number, progress: (text: string) => void) {
  const engine = await startOwnEngine();
  const table = await createTestTable(engine);
  const folder = serviceFolder({ table: table.table, dynamodb: engine.dynamodb });
  try {
    const [account, bare] = [await openTestAccount(table), await openTestAccount(table)];
    progress(`${rows} bare writes`);
    const writes = await timed(() =>
      inParallel(workers, numbers(rows), async (id) => {
        const records = [item(bare, id), guard(bare, 'sku', `S${id}`, id), guard(bare, 'pn', `P${id}`, id)];
        const parts = records.map((Item, index) => [`part ${index}`, { Put: { Item } }] as const);
        await transact(operatorSession(table.database, bare), Object.fromEntries(parts));
      }),
    );
    await pipeline(lines(rows), createWriteStream(join(folder, 'items.csv')));
    progress(`an import of ${rows} rows`);
    const args = [join(project, 'admin/admin.ts'), 'item', 'import', 'items.csv', '--account', account];
    const memory: number[] = [];
    const seconds = await timed(async () => {
      const child = spawn(process.execPath, [...args, '--rate', '100000'], { cwd: folder, stdio: 'ignore' });
      const timer = setInterval(() => memory.push(residentMemory(child.pid ?? 0)), 250);
      const [code] = await once(child, 'exit').finally(() => clearInterval(timer));
      if (code !== 0) throw new Error(`The import ended with ${code}`);
    });
    const tenths = Array.from(
      { length: 10 },
      (_, tenth) => memory[Math.floor(((tenth + 1) * (memory.length - 2)) / 10)],
    );
    return {
      rows,
      'bare writes a second': Math.round(rows / writes),
      'rows a second': Math.round(rows / seconds),
      'MB by tenths': tenths.join(' '),
    };
  } finally {
    rmSync(folder, { recursive: true });
    await engine.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1_000;
}

function* numbers(count: number) {
  for (let id = 1; id <= count; id += 1) yield id;
}

function* lines(rows: number) {
  yield 'name,sku,value\n';
  for (const id of numbers(rows)) yield `Item ${id},S${id},${id}\n`;
}

/** In MB, on Linux. */
function residentMemory(pid: number): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024);
  } catch {
    return Number.NaN;
  }
}
