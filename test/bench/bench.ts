/**
 * What the handlers add to the DynamoDB calls that they make: each kind of request through its handler, beside the same
 * calls sent bare, in turns in one run. Prints tables and asserts nothing, as machines differ.
 */

import { readOptions, wholeNumber } from '../../infra/cli/arguments.ts';
import { CommandError } from '../../infra/cli/commandError.ts';
import { setLocalCredentials } from '../../infra/cli/localCredentials.ts';
import { runCommand } from '../../infra/cli/runCommand.ts';
import { authorizerCosts } from './authorizerBench.ts';
import type { Kind } from './benchService.ts';
import { startBench } from './benchService.ts';
import type { Cost } from './cost.ts';
import { measured, median, turn } from './cost.ts';

const help = `Measures what the handlers add to the DynamoDB calls that they make, and their memory.

  npm run bench -- [options]

  --rounds N     how many turns each side has, of which the median is shown: 7 unless given
  --requests N   over how many requests memory is watched: 200000 unless given
  --help         show this`;

async function compare(kind: Kind, clients: number, rounds: number, collectGarbage: () => void) {
  const costs = { viaHandler: [] as Cost[], bare: [] as Cost[] };
  for (let round = 0; round <= rounds; round += 1) {
    // Neither side always has what the other leaves behind.
    const sides = round % 2 === 0 ? (['viaHandler', 'bare'] as const) : (['bare', 'viaHandler'] as const);
    for (const side of sides) {
      const work = await kind[side](turn);
      // What the preparation leaves is not to be collected at the turn's expense.
      collectGarbage();
      const cost = await measured(clients, work.values());
      // The first round warms up both.
      if (round > 0) costs[side].push(cost);
    }
  }
  const columns = (what: keyof Cost, unit: string) => {
    const handler = median(costs.viaHandler.map((cost) => cost[what]));
    const bare = median(costs.bare.map((cost) => cost[what]));
    const perRequest = (milliseconds: number) => Math.round((milliseconds * 1_000) / turn);
    return {
      [`handler ${unit}`]: perRequest(handler),
      [`bare calls ${unit}`]: perRequest(bare),
      [`ratio of ${unit}`]: Number((handler / bare).toFixed(2)),
    };
  };
  return { request: kind.name, clients, ...columns('time', 'µs'), ...columns('cpu', 'CPU µs') };
}

async function memory(plainUpdate: Kind, requests: number, collectGarbage: () => void) {
  const steps = 10;
  const rows = [];
  const updates = await plainUpdate.viaHandler(turn);
  function* many(count: number) {
    for (let sent = 0; sent < count; sent += updates.length) yield* updates.slice(0, count - sent);
  }
  for (let step = 0; step <= steps; step += 1) {
    collectGarbage();
    const { heapUsed, rss } = process.memoryUsage();
    const megabytes = (bytes: number) => Number((bytes / 2 ** 20).toFixed(1));
    rows.push({
      requests: Math.floor((step * requests) / steps),
      'heap MB': megabytes(heapUsed),
      'RSS MB': megabytes(rss),
    });
    if (step < steps) await measured(16, many(requests / steps));
  }
  return rows;
}

async function bench(args: readonly string[]): Promise<number> {
  const text = { type: 'string' } as const;
  const given = readOptions(args, { rounds: text, requests: text, help: { type: 'boolean' } });
  if (given.help) {
    console.log(help);
    return 0;
  }
  const rounds = wholeNumber('rounds', given.rounds, { initial: 7 });
  const requests = wholeNumber('requests', given.requests, { initial: 200_000 });
  const { gc } = globalThis;
  if (gc === undefined) throw new CommandError('Memory is measured after garbage collection: run node --expose-gc.', 2);
  setLocalCredentials();
  const { create, plain, renamed, unchanged, changed, reads, close } = await startBench();
  try {
    const rows = [];
    for (const clients of [1, 16])
      for (const kind of [create, plain, renamed, unchanged, changed, ...reads])
        rows.push(await compare(kind, clients, rounds, gc));
    console.log(`\nMedian of ${rounds} turns of ${turn} requests each, on the embedded engine`);
    console.table(rows);
    console.log('The authorizer, for a token that the gateway has no answer for');
    console.table(await authorizerCosts(rounds, gc));
    console.log(`Memory over ${requests} plain updates, 16 at a time, after garbage collection`);
    console.table(await memory(plain, requests, gc));
    return 0;
  } finally {
    await close();
  }
}

await runCommand(bench);
