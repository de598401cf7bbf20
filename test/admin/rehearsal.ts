import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../lib/item/json.ts';
import { newAccountRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { serviceFolder } from '../support/programs/serviceFolder.ts';
import { batch, counter, guard, item, put } from '../support/table/storedRecords.ts';
import { createTestTable, type TestEngine, type TestTable } from '../support/table/testTable.ts';

const account = 'acme';

const admin = fileURLToPath(new URL('../../admin/admin.ts', import.meta.url));

/** How every ten items of the table in use differ from the restored one. */
const changes = [
  ...['missing', 'missing', 'missing', 'missing', 'without its guards'],
  ...['whole', 'whole', 'whole', 'updated', 'replaced'],
] as const;
type Change = (typeof changes)[number];
const changeOf = (id: number): Change => changes[id % changes.length] ?? 'whole';

const isLost = (id: number): boolean => ['missing', 'without its guards'].includes(changeOf(id));

interface Item {
  readonly id: number;
  readonly sku: string;
  readonly pn: string;
}

/** An item as the restored table has it, with its guards. */
function whole({ id, sku, pn }: Item): JsonObject[] {
  const record = item(account, id, { name: `Item ${id}`, value: id, category: 1, sku, pn });
  return [record, guard(account, 'sku', sku, id), guard(account, 'pn', pn, id)];
}

/** The same in the table in use. A replaced one is gone, and another item has its sku. */
function after(one: Item, items: number): JsonObject[] {
  const [record = {}, ...guards] = whole(one);
  switch (changeOf(one.id)) {
    case 'missing':
      return [];
    case 'without its guards':
      return guards;
    case 'whole':
      return [record, ...guards];
    case 'updated':
      return [{ ...record, value: -one.id + items, revision: 2 }, ...guards];
    case 'replaced':
      return whole({ ...one, id: items + one.id, pn: `new ${one.pn}` });
  }
}

const configuration = [
  { ...newAccountRecord(account), last_category: 1 },
  { ...keys.category(account, 1), id: 1, name: 'General', archived: false },
  newUnitRecord(account, 'un', 0),
];

/** Two tables: a copy, and one that is damaged. */
async function fillTables(engine: TestEngine | undefined, items: number) {
  const [from, live] = [await createTestTable(engine), await createTestTable(engine)];
  const fill = async (table: TestTable, recordsOf: (one: Item) => JsonObject[], last: number): Promise<void> => {
    await batch(table, [...configuration, counter(account, last)].map(put));
    const step = 500;
    for (let first = 1; first <= items; first += step) {
      const ids = Array.from({ length: Math.min(step, items + 1 - first) }, (_, index) => first + index);
      const records = ids.flatMap((id) => recordsOf({ id, sku: `S${id}`, pn: `P${id}` }));
      await batch(table, records.map(put));
    }
  };
  await fill(from, whole, items);
  await fill(live, (one) => after(one, items), 2 * items);
  return { from, live };
}

interface Run {
  readonly code: number | null;
  readonly signal: string | null;
  readonly out: readonly string[];
  readonly err: string;
  readonly milliseconds: number;
}

/** Runs one of the operators' commands, and kills it when it has printed so many lines. */
async function run(cwd: string, command: string, args: readonly string[], killAfter = Infinity): Promise<Run> {
  const began = Date.now();
  const child = spawn(process.execPath, [admin, command, ...args], { cwd });
  const out: string[] = [];
  let err = '';
  createInterface(child.stdout).on('line', (line) => {
    out.push(line);
    if (out.length === killAfter) child.kill('SIGKILL');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code, signal] = await once(child, 'close');
  return { code, signal, out, err, milliseconds: Date.now() - began };
}

/**
 * Damages a table, and copies back what was lost by the command itself, which is killed on its way and run again.
 * @param items how many there are before: half of them are lost, and each tenth's sku is another item's by then
 * @param kills how often the command is killed, after equal parts of its work
 * @returns the last run of the command, what the verification of the table then says, and how the items differ from what
 * they should be
 */
export async function rehearse({
  items,
  kills,
  engine,
  dynamodb,
}: {
  readonly items: number;
  readonly kills: number;
  readonly engine?: TestEngine;
  readonly dynamodb: string;
}) {
  const { from, live } = await fillTables(engine, items);
  const folder = serviceFolder({ table: live.table, dynamodb });
  try {
    const to = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 3_600_000).toISOString().replace('.000', '');
    const args = ['--from', from.table, '--any-source', '--to', to, '--rate', '100000'];
    const killed: Run[] = [];
    const lost = Array.from({ length: items }, (_, index) => index + 1).filter(isLost).length;
    for (let kill = 0; kill < kills; kill += 1)
      killed.push(await run(folder, 'restore', args, Math.ceil(lost / (kills + 1))));
    const last = await run(folder, 'restore', args);
    const verification = await run(folder, 'verify', ['--rate', '100000']);
    return { lost, killed, last, verification, differences: differences(await live.records(), items) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What is wrong with the items after all: at most some, as texts. */
function differences(records: readonly JsonObject[], items: number): string[] {
  const byId = new Map(
    records.filter(({ pk }) => String(pk).endsWith('#ITEMS')).map((record) => [record['id'], record]),
  );
  const wrong: string[] = [];
  for (let id = 1; id <= items; id += 1) {
    const change = changeOf(id);
    const [found, replacement] = [byId.get(id), byId.get(items + id)];
    const expected = change === 'replaced' ? undefined : change === 'updated' ? items - id : id;
    if (found?.['value'] !== expected) wrong.push(`item ${id} (${change}) has the value ${found?.['value']}`);
    if (isLost(id) && !(Number(found?.['revision']) > 3_600_000)) wrong.push(`item ${id} has an old revision`);
    if (change === 'updated' && found?.['revision'] !== 2) wrong.push(`item ${id} was written`);
    if (change === 'replaced' && replacement?.['sku'] !== `S${id}`) wrong.push(`item ${items + id} has lost its sku`);
  }
  return wrong;
}
