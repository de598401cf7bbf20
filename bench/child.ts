/**
 * The process in which one bundle is measured: its start, then the turns that arrive on standard input, with a line of
 * JSON on file descriptor 3 for each. It loads nothing before the bundle, whose own loading would then look shorter.
 */

import { readFileSync, writeSync } from 'node:fs';
import { stubNetwork } from './stubNetwork.ts';
import { type Cost, itemOf, placeholders, type Request, type Start, type Turn } from './turn.ts';

type Work = () => Promise<unknown>;

const [, , bundle = '', answers] = process.argv;

const write = (result: object): void => void writeSync(3, `${JSON.stringify(result)}\n`);

/** The CPU that some work takes, in microseconds. */
async function cpuOf(work: Work): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

const context = () => ({ awsRequestId: 'invocation-1', getRemainingTimeInMillis: () => 10_000 });

/** One request, whose event is made beforehand, as the gateway makes it. */
function workOf({ operation, event: text, status }: Request, number: number): Work {
  const { [text === undefined ? operation : 'handler']: run } = require(bundle);
  if (text === undefined) return () => run(number);
  const event = JSON.parse(
    text.replaceAll(placeholders.number, String(number)).replaceAll(placeholders.id, String(itemOf(number))),
  );
  if (typeof event.body === 'string') {
    event.body = Buffer.from(event.body).toString('base64');
    event.isBase64Encoded = true;
  }
  return async () => {
    const answer = await run(event, context());
    if (answer.statusCode !== status) throw new Error(`${operation} answered ${answer.statusCode}: ${answer.body}`);
  };
}

async function runTurn({ from, count, ...request }: Turn): Promise<Cost> {
  const all = Array.from({ length: count }, (_, index) => workOf(request, from + index));
  globalThis.gc?.();
  const cpu = await cpuOf(async () => {
    for (const work of all) await work();
  });
  return { cpu: cpu / count };
}

async function run(): Promise<void> {
  const cpu = await cpuOf(async () => {
    require(bundle);
    // Whatever the start has begun, such as a dynamic import, is a part of it.
    await new Promise(setImmediate);
  });
  write({ cpu, memory: process.memoryUsage.rss() } satisfies Start);
  if (answers !== undefined) stubNetwork(JSON.parse(readFileSync(answers, 'utf8')));
  const { createInterface } = process.getBuiltinModule('node:readline');
  for await (const line of createInterface({ input: process.stdin })) write(await runTurn(JSON.parse(line)));
  // Timers and connections of the bundle must not keep the process.
  process.exit();
}

run();
