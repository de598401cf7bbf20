import { Random } from '../support/random.ts';
import type { TestEngine } from '../support/testTable.ts';
import type { FuzzRequest } from './fuzzEvent.ts';
import { fuzzRequest } from './fuzzEvent.ts';
import { cpuBound, openTarget } from './fuzzTarget.ts';
import { objections } from './objections.ts';

/** So many of the newest items are aimed at, and the first. */
const recentItems = 30;
/** After so many requests, what is stored is held against the answers. */
const auditInterval = 2_500;

/** A request that was answered as no promise allows. */
export interface Failure {
  readonly seed: number;
  /** Which request of its round, from 1. */
  readonly run: number;
  readonly request: FuzzRequest;
  readonly response: unknown;
  readonly objections: readonly string[];
}

export interface Round {
  readonly failures: readonly Failure[];
  /** Where the table is not what the answers say, and the invariants that it breaks at the end. */
  readonly broken: readonly string[];
  /** How often each answer was given, such as `createItem 422 VALIDATION_FAILED`. */
  readonly answers: ReadonlyMap<string, number>;
  /** The most CPU that a request took, in milliseconds. */
  readonly slowest: number;
}

interface RoundOptions {
  /** Decides every event, and the answers as long as none is so slow that it is tried again. */
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
  const answers = new Map<string, number>();
  const broken: string[] = [];
  let slowest = 0;
  for (let run = 1; run <= runs; run += 1) {
    const request = fuzzRequest(random, { callers: target.callers, ids });
    const { response, cpu } = await target.answer(request);
    const found = objections(request, response);
    if (cpu > cpuBound) found.push(`it took ${Math.round(cpu)} ms of CPU`);
    if (found.length > 0) failures.push({ seed, run, request, response, objections: found });
    slowest = Math.max(slowest, cpu);
    const { statusCode, headers, body } = response;
    const answer = nameOf(request, statusCode, body);
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
    const [, id] = /\/(\d+)$/.exec(String(headers?.['location'])) ?? [];
    if (id !== undefined && ids.push(Number(id)) > recentItems) ids.splice(1, 1);
    if (run % auditInterval === 0 || run === runs) {
      const untold = await target.untold();
      if (untold !== 0) broken.push(`up to event ${run} there are ${untold} more writes than the answers tell of`);
    }
    onRun?.();
  }
  broken.push(...(await target.broken()));
  await target.close();
  return { failures, broken, answers, slowest };
}

const nameOf = ({ operation }: FuzzRequest, status: number, body: string): string => {
  const [, code] = /^\{"error":\{"message":"[^"]*","code":"([A-Z_]+)"/.exec(body) ?? [];
  return [operation, status, ...(code === undefined ? [] : [code])].join(' ');
};
