/**
 * A user spoils some of many items over HTTP: prices, names, metadata, and codes that are shifted by a row. Colleagues
 * correct some of them, and go on writing. `item undo` is killed twice amid its updates. Every item is compared with every
 * write of the colleagues that was acknowledged.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inParallel } from '../../admin/table/scanTable.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { importRows } from '../../client/public/importRows.ts';
import { type Client, createCatalogClient, type Item, type Schemas, unwrap } from '../../client/public/index.ts';
import { operatorUser } from '../../lib/access/caller.ts';
import { allItems, startOwnService, stop } from '../support/programs/ownService.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

const [count, spoiled, shifted, corrected, perSecond] = [5_000, 2_000, 500, 300, 30];
const folder = mkdtempSync(join(tmpdir(), 'catalog-undo-'));
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const random = (below: number) => Math.floor(Math.random() * below);

/** The compared fields of an item. */
type Values = Record<'name' | 'value' | 'description' | 'sku' | 'color' | 'size', unknown>;
const valuesOf = ({ name, value, description, sku, metadata }: Item): Values => {
  return { name, value, description, sku, color: metadata['color'] ?? null, size: metadata['size'] ?? null };
};

async function write(client: Client, rows: Schemas['Row'][]): Promise<void> {
  const options = { storage: memoryStorage(), key: crypto.randomUUID() };
  for await (const { rejected } of importRows(client, rows, options)) assert.equal(rejected, 0);
}

/** The colleagues, and what items must have: all that they were acknowledged. */
class Colleagues {
  readonly #client: Client;
  readonly due = new Map<number, Values>();
  readonly #busy = new Set<number>();
  writes = 0;

  constructor(client: Client) {
    this.#client = client;
  }

  /** Gives a field of an item a value that it never had. */
  async write(id: number): Promise<void> {
    const due = this.due.get(id);
    if (due === undefined || this.#busy.has(id)) return;
    this.#busy.add(id);
    const number = ++this.writes;
    const changes = [{ name: `By hand ${number}` }, { value: 100_000 + number }, { description: `${number}` }];
    const color = `color ${number}`;
    const change = [...changes, { metadata: { color } }][random(4)] ?? {};
    const params = { path: { id } };
    const answered = this.#client.PUT('/api/v1/api/v1/items/{id}', { params, body: change });
    const { response, error } = await answered.catch(() => ({ response: undefined, error: undefined }));
    assert.ok(error === undefined || response?.status === 503, JSON.stringify(error));
    // Nobody knows what an item has whose write was answered 503, or not in time.
    if (response?.ok !== true) this.due.delete(id);
    else Object.assign(due, 'metadata' in change ? { color } : change);
    this.#busy.delete(id);
  }

  /** @returns ends it */
  writeOn(): () => Promise<void> {
    const sent: Promise<void>[] = [];
    const ids = [...this.due.keys()];
    const timer = setInterval(() => sent.push(this.write(ids[random(count)] ?? 0)), 1_000 / perSecond);
    return async () => {
      clearInterval(timer);
      await Promise.all(sent);
    };
  }
}

/** @param items some of which get the code of the next one */
async function spoil(client: Client, items: readonly Item[]): Promise<void> {
  const wrong = (id: number) => ({ id, name: '#REF!', value: 0.01, metadata: { color: '#REF!', size: null } });
  await write(
    client,
    items.map(({ id }) => wrong(id)),
  );
  const moved = items.slice(0, shifted);
  const freed = moved.map(({ id }) => ({ id, sku: null }));
  await write(client, freed);
  const moves = moved.map(({ id }, index) => ({ id, sku: moved[index + 1]?.sku ?? 'SHIFTED' }));
  await write(client, moves);
}

const second = (time: Date) => time.toISOString().replace(/\.\d+/, '');

/** Runs a program until it succeeds. The first two times, it is killed once it has written more of these items. */
async function killTwice(args: readonly string[], written: () => Promise<number>): Promise<void> {
  for (let time = 1; ; time += 1) {
    const before = await written();
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    while (time <= 2 && child.exitCode === null && (await written()) === before) await sleep(50);
    if (time <= 2) child.kill('SIGKILL');
    const [status, signal] = await ended;
    console.log(`  run ${time}: ${signal ?? `ended with ${status}`}, after ${before} of the items that are looked at`);
    if (time <= 2) assert.equal(signal, 'SIGKILL', 'it ended before it was killed');
    else return assert.ok(status !== 2);
  }
}

/** @param run undoes what was done from a time to another, by a program that may be killed */
async function drill(
  client: Client,
  colleagues: Colleagues,
  run: (from: Date, to: Date, spoiledIds: readonly number[]) => Promise<void>,
): Promise<void> {
  const before = (await allItems(client)).sort((a, b) => a.id - b.id).slice(1_000, 1_000 + spoiled);
  await sleep(2_000);
  const from = new Date();
  await spoil(client, before);
  const corrections = before.filter((_, index) => index % Math.floor(spoiled / corrected) === 0).slice(0, corrected);
  await inParallel(4, corrections.values(), ({ id }) => colleagues.write(id));
  await sleep(5_000);
  const writesBefore = colleagues.writes;
  const end = colleagues.writeOn();
  await run(
    from,
    new Date(),
    before.map(({ id }) => id),
  );
  await end();
  const beside = colleagues.writes - writesBefore;
  const items = await allItems(client);
  const isWrong = (item: Item) => JSON.stringify(valuesOf(item)) !== JSON.stringify(colleagues.due.get(item.id));
  const wrong = items.filter((item) => colleagues.due.has(item.id) && isWrong(item));
  assert.ok(colleagues.due.size > count / 2, 'too little is known to compare');
  for (const item of wrong.slice(0, 10)) console.log(valuesOf(item), 'instead of', colleagues.due.get(item.id));
  assert.deepEqual([items.length, wrong.length, beside > 0], [count, 0, true]);
  console.log(`${spoiled} items undone, with ${beside} writes beside it: none lost of ${colleagues.due.size} items.`);
}

async function tryUndo(): Promise<void> {
  const { child, service } = await startOwnService(folder, '3918');
  const { url, tokens } = service;
  const [ann, bob] = [tokens.editor, tokens.editorWithoutCost].map((token) =>
    createCatalogClient({ baseUrl: url, getAccessToken: async () => token }),
  ) as [Client, Client];
  try {
    const numbers = Array.from({ length: count }, (_, index) => index);
    const rowOf = (number: number) => ({
      ...{ name: `Item ${number}`, value: number, sku: `S${number}` },
      metadata: { color: `c${number % 7}`, size: number % 5 },
    });
    const parts = [0, 1, 2, 3].map((part) => numbers.filter((number) => number % 4 === part).map(rowOf));
    await Promise.all(parts.map((rows) => write(bob, rows)));
    const colleagues = new Colleagues(bob);
    for (const item of await allItems(bob)) colleagues.due.set(item.id, valuesOf(item));
    console.log(`${count} items.`);
    await drill(ann, colleagues, async (from, to, ids) => {
      // As many as one page has, among all.
      const sample = ids.filter((_, index) => index % (spoiled / 100) === 0);
      const written = async () => {
        const found = await ann.GET('/api/v1/api/v1/items', { params: { query: { ids: sample } } });
        return unwrap(found).data.filter(({ updated_by }) => updated_by === operatorUser).length;
      };
      const times = ['--from', second(from), '--to', second(to)];
      const user = ['--account', 'demo-1', '--user', 'editor'];
      const file = ['--file', join(folder, 'undo.jsonl')];
      await killTwice([path('../../admin/admin.ts'), 'item', 'undo', ...user, ...times, ...file], written);
    });
  } finally {
    await stop(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = createProgram(
  'npm run nightly -- try-undo',
  `Undoes ${spoiled} spoiled items of ${count}, killed twice amid them, while others write.`,
).action(tryUndo);
await runCommand(program);
