/**
 * The process in which one bundle is measured. It imports nothing before that but what it must. Without a channel to its
 * parent it tells how it has started on the file descriptor 3, and ends; with one, it runs the turns that it is asked for.
 */

import { readFileSync, writeSync } from 'node:fs';
import type { Cost, Job, Memory, Start, Turn, TurnResult } from './job.ts';
import { itemOf, placeholders } from './job.ts';
import { stubNetwork } from './stubNetwork.ts';

type Work = () => Promise<unknown>;
type Exports = Readonly<Record<string, (...args: unknown[]) => Promise<unknown>>>;

async function measured(work: Work): Promise<Cost> {
  const [started, used] = [performance.now(), process.cpuUsage()];
  await work();
  const { user, system } = process.cpuUsage(used);
  return { time: performance.now() - started, cpu: (user + system) / 1_000 };
}

function memory(): Memory {
  globalThis.gc?.();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: heapUsed, resident: rss };
}

const context = () => ({ awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => 10_000 });

/** A request to a function, whose event is made beforehand, as the gateway makes it. */
function functionRequest(job: Job, operation: string, number: number): Work {
  const request = job.requests?.[operation];
  if (request === undefined) throw new Error(`The job has no request ${operation}`);
  const { handler } = require(request.bundle) as Exports;
  const text = request.event
    .replaceAll(placeholders.number, String(number))
    .replaceAll(placeholders.id, String(itemOf(number, job.items)));
  const event = JSON.parse(text);
  if (typeof event.body === 'string') {
    event.body = Buffer.from(event.body).toString('base64');
    event.isBase64Encoded = true;
  }
  return async () => {
    const answer = (await handler?.(event, context())) as { statusCode?: number; body?: string } | undefined;
    if (answer?.statusCode !== request.status) throw new Error(`Answered ${answer?.statusCode}: ${answer?.body}`);
  };
}

function workOf(job: Job, operation: string, number: number): Work {
  if (job.requests !== undefined) return functionRequest(job, operation, number);
  const run = (require(job.bundle) as Exports)[operation];
  if (run === undefined) throw new Error(`${job.bundle} exports no ${operation}`);
  return () => run(number);
}

async function runTurn(job: Job, { operation, from, count, clients }: Turn): Promise<TurnResult> {
  const all = Array.from({ length: count }, (_, index) => workOf(job, operation, from + index)).values();
  const latencies: number[] = [];
  globalThis.gc?.();
  const cost = await measured(() =>
    Promise.all(
      Array.from({ length: clients }, async () => {
        for (const work of all) {
          const started = performance.now();
          await work();
          latencies.push(performance.now() - started);
        }
      }),
    ),
  );
  return { ...cost, latencies, memory: memory() };
}

async function run(job: Job): Promise<void> {
  const init = await measured(async () => {
    require(job.bundle);
    // What the start has begun, such as a dynamic import, is a part of it.
    await new Promise(setImmediate);
  });
  const start = { init, memory: memory() };
  if (job.answers !== undefined) stubNetwork(job.answers);
  const first = job.first === undefined ? undefined : await measured(workOf(job, job.first, 1));
  if (process.send === undefined) {
    writeSync(3, JSON.stringify({ ...start, first } satisfies Start));
    process.exit();
  }
  process.on('disconnect', () => process.exit());
  process.on('message', (turn: Turn) => {
    runTurn(job, turn).then(
      (result) => process.send?.({ result }),
      (error) => process.send?.({ error: error.stack }),
    );
  });
  process.send('started');
}

run(JSON.parse(readFileSync(String(process.argv[2]), 'utf8')));
