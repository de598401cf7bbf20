import * as fc from 'fast-check';
import type { TestEngine } from '../support/table/testTable.ts';
import { type FuzzRequest, fuzzRequest } from './fuzzRequest.ts';
import { cpuLimit, openTarget } from './fuzzTarget.ts';
import { KnownItems } from './knownItems.ts';
import { violations } from './violations.ts';

export interface Round {
  /** The smallest request found that breaks a promise of the API, or where the table differs from the responses. */
  readonly failures: readonly string[];
  /** How often each outcome was seen, such as `createItem 422 VALIDATION_FAILED`. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** The most CPU that a request used, as {@link cpuLimit} counts it. */
  readonly mostCpu: number;
}

interface RoundOptions {
  /** Decides every event, and the responses unless one is so slow that it is tried again. */
  readonly seed: number;
  readonly runs: number;
  /** Left out: the engine that the test run shares. */
  readonly engine?: TestEngine;
  readonly onRun?: () => void;
}

/** Sends hostile events, one after another, to the handlers over a table of their own, until one fails. */
export async function fuzzRound({ seed, runs, engine, onRun }: RoundOptions): Promise<Round> {
  const target = await openTarget(engine);
  const outcomes = new Map<string, number>();
  const known = new KnownItems();
  let mostCpu = 0;
  const property = fc.asyncProperty(fuzzRequest(target.callers), async (request) => {
    const { response, cpu } = await target.send(request);
    mostCpu = Math.max(mostCpu, cpu);
    const outcome = outcomeOf(request, response.statusCode, response.body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    onRun?.();
    const found = violations(request, response, known);
    if (cpu > cpuLimit) found.push(`it used the CPU of ${Math.round(cpu)} of the largest bodies`);
    if (found.length > 0) throw new Error(`${found.join('; ')}\nResponse: ${response.body.slice(0, 2_000)}`);
  });
  const report = await fc.asyncDefaultReportMessage(
    await fc.check(property, { seed, numRuns: runs, includeErrorInReport: true }),
  );
  const unreported = await target.unreportedWrites();
  const failures = [
    ...(report === undefined ? [] : [report]),
    ...(unreported === 0 ? [] : [`There are ${unreported} more writes than the responses reported.`]),
    ...(await target.findings()),
  ];
  await target.close();
  return { failures, outcomes, mostCpu };
}

const outcomeOf = ({ operation }: FuzzRequest, status: number, body: string): string => {
  const [, code] = /^\{"error":\{"message":"[^"]*","code":"([A-Z_]+)"/.exec(body) ?? [];
  return [operation, status, ...(code === undefined ? [] : [code])].join(' ');
};
