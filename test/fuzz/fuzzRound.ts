import { Random } from '../support/random.ts';
import type { TestEngine } from '../support/testTable.ts';
import type { FuzzRequest } from './fuzzEvent.ts';
import { fuzzRequest } from './fuzzEvent.ts';
import { cpuLimit, openTarget } from './fuzzTarget.ts';
import { violations } from './violations.ts';

/** How many of the newest items get requests, besides the first one. */
const recentItems = 30;
/** The number of requests after which the stored writes are compared with the reported ones. */
const auditInterval = 2_500;

/** A request whose response breaks a promise of the API. */
export interface Failure {
  readonly seed: number;
  /** Which request of its round, from 1. */
  readonly run: number;
  readonly request: FuzzRequest;
  readonly response: unknown;
  readonly violations: readonly string[];
}

export interface Round {
  readonly failures: readonly Failure[];
  /** Where the table differs from what the responses reported, and what its verification finds at the end. */
  readonly findings: readonly string[];
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
  /** Called after each request. */
  readonly onRun?: () => void;
}

/** Sends hostile events, one after another, to the handlers over a table of their own. */
export async function fuzzRound({ seed, runs, engine, onRun }: RoundOptions): Promise<Round> {
  const random = new Random(seed);
  const target = await openTarget(engine);
  const ids: number[] = [];
  const failures: Failure[] = [];
  const outcomes = new Map<string, number>();
  const findings: string[] = [];
  let mostCpu = 0;
  for (let run = 1; run <= runs; run += 1) {
    const request = fuzzRequest(random, { callers: target.callers, ids });
    const { response, cpu } = await target.send(request);
    const found = violations(request, response);
    if (cpu > cpuLimit) found.push(`it used the CPU of ${Math.round(cpu)} of the largest bodies`);
    if (found.length > 0) failures.push({ seed, run, request, response, violations: found });
    mostCpu = Math.max(mostCpu, cpu);
    const { statusCode, headers, body } = response;
    const outcome = outcomeOf(request, statusCode, body);
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    const [, id] = /\/(\d+)$/.exec(String(headers?.['location'])) ?? [];
    if (id !== undefined && ids.push(Number(id)) > recentItems) ids.splice(1, 1);
    if (run % auditInterval === 0 || run === runs) {
      const unreported = await target.unreportedWrites();
      if (unreported !== 0) findings.push(`up to event ${run} there are ${unreported} more writes than were reported`);
    }
    onRun?.();
  }
  findings.push(...(await target.findings()));
  await target.close();
  return { failures, findings, outcomes, mostCpu };
}

const outcomeOf = ({ operation }: FuzzRequest, status: number, body: string): string => {
  const [, code] = /^\{"error":\{"message":"[^"]*","code":"([A-Z_]+)"/.exec(body) ?? [];
  return [operation, status, ...(code === undefined ? [] : [code])].join(' ');
};
