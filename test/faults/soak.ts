/**
 * Histories with faults, by the thousand: `npm run soak -- --histories 5000`. A history with a violation is shrunk to
 * the fewest clients and requests that still show it, and the command that runs it again is printed.
 */
import { parseArgs } from 'node:util';
import { startOwnEngine } from '../support/ownEngine.ts';
import { check } from './checker.ts';
import { usualFaults } from './faultyClient.ts';
import { runHistory } from './randomHistory.ts';

process.env['AWS_REGION'] = 'local';
process.env['AWS_ACCESS_KEY_ID'] = 'local';
process.env['AWS_SECRET_ACCESS_KEY'] = 'local';

const options = {
  histories: { type: 'string' },
  seed: { type: 'string' },
  clients: { type: 'string', default: '8' },
  requests: { type: 'string', default: '25' },
} as const;
const { values } = parseArgs({ options });
const histories = Number(values.histories ?? (values.seed === undefined ? 200 : 1));
const firstSeed = Number(values.seed ?? Math.floor(Math.random() * 1_000_000));

interface Size {
  readonly clients: number;
  readonly requests: number;
}

const engine = await startOwnEngine();

const violationsOf = async (seed: number, size: Size): Promise<string[]> =>
  check(await runHistory({ seed, ...size, faults: usualFaults }, engine));

/** Takes away requests, then clients, for as long as the violation stays. */
async function shrink(seed: number, size: Size): Promise<Size> {
  for (const smaller of [
    { ...size, requests: size.requests - 1 },
    { ...size, clients: size.clients - 1 },
  ])
    if (smaller.requests > 0 && smaller.clients > 0 && (await violationsOf(seed, smaller)).length > 0)
      return shrink(seed, smaller);
  return size;
}

function showProgress(done: number, failed: number): void {
  if (!process.stderr.isTTY) return;
  const width = 40;
  const full = Math.round((done / histories) * width);
  process.stderr.write(
    `\r[${'#'.repeat(full)}${' '.repeat(width - full)}] ${done}/${histories}, ${failed} with a violation`,
  );
}

const size = { clients: Number(values.clients), requests: Number(values.requests) };
console.log(
  `${histories} histories of ${size.clients} clients with ${size.requests} requests each, from seed ${firstSeed}`,
);
let failed = 0;
for (let done = 0; done < histories; done += 1) {
  const seed = firstSeed + done;
  const violations = await violationsOf(seed, size);
  if (violations.length > 0) {
    failed += 1;
    const { clients, requests } = await shrink(seed, size);
    console.log(`\nSeed ${seed}:\n  ${violations.join('\n  ')}`);
    console.log(`Again: npm run soak -- --seed ${seed} --clients ${clients} --requests ${requests}`);
  }
  showProgress(done + 1, failed);
}
console.log(`\n${histories - failed} of ${histories} histories without a violation`);
await engine.stop();
process.exitCode = failed > 0 ? 1 : 0;
