/**
 * What the handlers add to the DynamoDB calls that they make: each kind of request through its handler, beside the same
 * calls sent bare, in turns in one run. Prints tables and asserts nothing, as machines differ.
 */
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import type { BenchService, Kind } from './benchService.ts';
import { startBench } from './benchService.ts';

const options = { rounds: { type: 'string', default: '7' }, requests: { type: 'string', default: '200000' } } as const;
const { values } = parseArgs({ options });
const rounds = Number(values.rounds);

/** How many requests a turn has. */
const turn = 320;

/** Runs `turn` pieces of work, so many at a time; gives the milliseconds that it took. */
async function timed(clients: number, numbers: readonly number[], work: (number: number) => Promise<unknown>) {
  const left = numbers.values();
  const started = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (const number of left) await work(number);
    }),
  );
  return performance.now() - started;
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0;

async function compare(service: BenchService, kind: Kind, clients: number) {
  const handler: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round += 1) {
    const first = await timed(clients, await service.prepare(kind, turn), kind.viaHandler);
    const second = await timed(clients, await service.prepare(kind, turn), kind.bare);
    // The first round warms up both.
    if (round > 0) handler.push(first) && bare.push(second);
  }
  const perRequest = (times: readonly number[]) => Math.round((median(times) * 1000) / turn);
  return {
    request: kind.name,
    clients,
    'handler µs': perRequest(handler),
    'bare calls µs': perRequest(bare),
    ratio: Number((median(handler) / median(bare)).toFixed(2)),
  };
}

async function memory(service: BenchService, requests: number) {
  const steps = 10;
  const rows = [];
  const items = await service.prepare(service.kinds.plain, turn);
  for (let step = 0; step <= steps; step += 1) {
    globalThis.gc?.();
    const { heapUsed, rss } = process.memoryUsage();
    const megabytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1));
    rows.push({ requests: (step * requests) / steps, 'heap MB': megabytes(heapUsed), 'RSS MB': megabytes(rss) });
    const numbers = Array.from({ length: requests / steps }, (_, index) => items[index % items.length] ?? 0);
    if (step < steps) await timed(16, numbers, service.kinds.plain.viaHandler);
  }
  return rows;
}

const service = await startBench(`bench-${randomUUID()}`);
const rows = [];
for (const clients of [1, 16])
  for (const kind of Object.values(service.kinds)) rows.push(await compare(service, kind, clients));
console.log(`\nMedian of ${rounds} turns of ${turn} requests each, on the embedded engine`);
console.table(rows);
console.log(`Memory over ${values.requests} plain updates, 16 at a time, after garbage collection`);
console.table(await memory(service, Number(values.requests)));
await service.close();
