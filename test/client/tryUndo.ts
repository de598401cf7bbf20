/**
 * A user spoils 2,000 of 20,000 items over HTTP: prices, names, metadata, and codes that are shifted by a row. Colleagues
 * correct 300 of them, and go on with 30 writes a second. The mistake is undone, by the client and then, after another
 * one, by `item undo`, each killed twice. Every item is compared with every write of the colleagues that was acknowledged,
 * and with a copy that was kept by walking the changes.
 */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { fileStorage } from '../../admin/api/fileStorage.ts';
import { inParallel } from '../../admin/table/inParallel.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { type Client, catalogClient, dataOf, type Item, type Schemas } from '../../client/http/catalogClient.ts';
import { importRows } from '../../client/import/importRows.ts';
import { type Mistake, undo } from '../../client/undo/undo.ts';
import { allItems, startOwnService, stop } from '../support/programs/ownService.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

const [count, spoiled, shifted, corrected, perSecond] = [20_000, 2_000, 500, 300, 30];
const folder = mkdtempSync(join(tmpdir(), 'catalog-undo-'));
const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const random = (below: number) => Math.floor(Math.random() * below);

/** What is compared of an item. */
type Values = Record<'name' | 'value' | 'description' | 'sku' | 'color' | 'size', unknown>;
const valuesOf = ({ name, value, description, sku, metadata }: Item): Values => {
  return { name, value, description, sku, color: metadata['color'] ?? null, size: metadata['size'] ?? null };
};

async function write(client: Client, rows: Schemas['Row'][]): Promise<void> {
  const options = { storage: memoryStorage(), key: crypto.randomUUID() };
  for await (const { refused } of importRows(client, rows, options)) assert.equal(refused, 0);
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
    dataOf(await this.#client.PUT('/api/v1/api/v1/items/{id}', { params, body: change }));
    Object.assign(due, 'metadata' in change ? { color } : change);
    this.#busy.delete(id);
  }

  /** @returns ends it */
  goOn(): () => Promise<void> {
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
  await write(
    client,
    moved.map(({ id }) => ({ id, sku: null })),
  );
  await write(
    client,
    moved.map(({ id }, index) => ({ id, sku: moved[index + 1]?.sku ?? 'SHIFTED' })),
  );
}

const second = (time: Date) => time.toISOString().replace(/\.\d+/, '');

/** Runs a program until it succeeds. The first two times, it is killed. */
async function killTwice(args: readonly string[]): Promise<void> {
  for (let time = 1; ; time += 1) {
    const child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
    const ended = once(child, 'exit');
    if (time <= 2) setTimeout(() => child.kill('SIGKILL'), 3_000 + random(4_000));
    const [status, signal] = await ended;
    console.log(`  run ${time}: ${signal ?? `ended with ${status}`}`);
    if (signal === null) return assert.ok(status !== 2);
  }
}

/** Walks the changes until what they say of the items is what the items have. */
async function walk(client: Client, from: Date, items: readonly Item[]): Promise<void> {
  const copy = new Map<number, Record<string, unknown>>();
  const isBehind = (item: Item) =>
    Object.entries(valuesOf(item)).some(([name, now]) => (copy.get(item.id)?.[name] ?? null) !== now);
  let query: object = { from: from.toISOString(), limit: 100 };
  for (const end = Date.now() + 120_000; items.some(isBehind) && Date.now() < end; ) {
    const { data, next_cursor } = dataOf(await client.GET('/api/v1/api/v1/changes', { params: { query } }));
    query = { cursor: next_cursor, limit: 100 };
    for (const { item, fields } of data) {
      const of = fields.map(({ field, path: key, to }) => [key?.slice(1) ?? field, to]);
      copy.set(item, { ...copy.get(item), ...Object.fromEntries(of) });
    }
    if (data.length < 100) await sleep(200);
  }
  assert.equal(items.filter(isBehind).length, 0);
}

async function drill(client: Client, colleagues: Colleagues, first: number, run: (mistake: Mistake) => Promise<void>) {
  const before = (await allItems(client)).sort((a, b) => a.id - b.id).slice(first, first + spoiled);
  await sleep(2_000);
  const from = new Date();
  await spoil(client, before);
  const corrections = before.filter((_, index) => index % Math.floor(spoiled / corrected) === 0).slice(0, corrected);
  await inParallel(4, corrections.values(), ({ id }) => colleagues.write(id));
  await sleep(5_000);
  const mistake = { users: ['editor'], from, to: new Date() };
  const writesBefore = colleagues.writes;
  const end = colleagues.goOn();
  const began = performance.now();
  await run(mistake);
  const seconds = (performance.now() - began) / 1_000;
  await end();
  const beside = colleagues.writes - writesBefore;
  const items = await allItems(client);
  const wrong = items.filter((item) => JSON.stringify(valuesOf(item)) !== JSON.stringify(colleagues.due.get(item.id)));
  for (const item of wrong.slice(0, 10)) console.log(valuesOf(item), 'instead of', colleagues.due.get(item.id));
  assert.deepEqual([items.length, wrong.length], [count, 0]);
  const rate = (beside / seconds).toFixed(0);
  console.log(
    `${spoiled} of ${spoiled} in ${seconds.toFixed(1)} s, with ${beside} writes beside it, ${rate} a second: none lost.`,
  );
  return items;
}

async function tryUndo(): Promise<void> {
  const { child, service } = await startOwnService(folder, '3918');
  const { url, tokens } = service;
  const [ann, bob] = [tokens.editor, tokens.editorWithoutCost].map((token) =>
    catalogClient(url, async () => token),
  ) as [Client, Client];
  try {
    const begun = new Date();
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
    await drill(ann, colleagues, 1_000, async (mistake) => {
      console.log('The client:');
      const given = [url, tokens.editorWithoutCost, +mistake.from, +mistake.to].map(String);
      await killTwice([path('tryUndo.ts'), 'tab', ...given]);
    });
    const items = await drill(ann, colleagues, 5_000, async ({ from, to }) => {
      console.log('item undo:');
      const times = ['--from', second(from), '--to', second(to)];
      await killTwice([
        ...[path('../../admin/admin.ts'), 'item', 'undo', '--account', 'demo-1', '--user', 'editor'],
        ...[...times, '--file', join(folder, 'undo.jsonl')],
      ]);
    });
    await walk(bob, begun, items);
    console.log('A copy that was kept by walking the changes is the same.');
  } finally {
    await stop(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A tab of a browser, which can be killed: its storage is a file. */
async function tab(url: string, token: string, from: string, to: string): Promise<void> {
  const storage = fileStorage('storage.json');
  const mistake = { users: ['editor'], from: new Date(Number(from)), to: new Date(Number(to)) };
  const client = catalogClient(url, async () => token);
  for await (const { updates, left, rejected } of undo(client, mistake, { storage }))
    if (left === 0) console.error(`  ${updates} updates in the last run, ${rejected.size} rejected`);
}

const program = createProgram(
  'npm run nightly -- try-undo',
  'Undoes 2,000 spoiled items of 20,000, killed twice, while others write.',
).action(tryUndo);
program
  .command('tab', { hidden: true })
  .argument('<url>')
  .argument('<token>')
  .argument('<from>')
  .argument('<to>')
  .action(tab);
await runCommand(program);
