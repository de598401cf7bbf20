import { getRecord, queryPartition } from '../../lib/store/database/database.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { keyIn, parseKey } from '../../lib/store/records/keys.ts';
import { timedSession } from '../table/operatorSession.ts';
import { inParallel, type PacedTable, readUnits, scanTable, segments } from '../table/scanTable.ts';
import { type Collector, type FindingKind, type FindingRepair, quoted, type Records } from './check.ts';
import { categoryIds, itemIds } from './checks/assignedIds.ts';
import { identifiers } from './checks/identifiers.ts';
import { listPositions } from './checks/listPositions.ts';
import { records } from './checks/records.ts';
import { tokens } from './checks/tokens.ts';

const all = [records, itemIds, identifiers, categoryIds, tokens, listPositions];

export type Finding = NonNullable<Awaited<ReturnType<(typeof all)[number]['recheck']>>>;

/** A check whose suspects are only ever given back to itself. */
interface AnyCheck {
  collect(): Collector<object>;
  recheck(records: Records, suspect: object, now: number): Promise<Finding | undefined>;
  readonly kinds: { readonly [kind: string]: FindingKind<Finding> };
}

const checks: readonly AnyCheck[] = all;

type Rules = FindingKind<Finding> & { readonly check: AnyCheck };

/** What each kind of finding says and how it is repaired, with its check. */
const kinds = Object.fromEntries(
  checks.flatMap((check) => Object.entries(check.kinds).map(([kind, rules]) => [kind, { ...rules, check }])),
) as Readonly<Record<Finding['kind'], Rules>>;

export interface Repair {
  /** Usually the finding itself, but it may have changed into another one in the meantime. */
  readonly repaired: readonly Finding[];
  readonly remaining: Finding | undefined;
}

const maxRounds = 5;
/** Approximate cost of one repair in capacity units: a transaction of two small records. */
const repairUnits = 4;

/**
 * Repairs a finding, if that needs no decision by a person, and rechecks it. Every write is conditional on the data it
 * was based on, so concurrent requests lose nothing.
 */
export async function repair(
  { database, limiter }: Pick<PacedTable, 'database' | 'limiter'>,
  records: Records,
  finding: Finding,
): Promise<Repair> {
  const { check } = kinds[finding.kind];
  const repaired: Finding[] = [];
  let remaining: Finding | undefined = finding;
  for (let round = 0; remaining !== undefined && round < maxRounds; round += 1) {
    const current: Finding = remaining;
    const method: FindingRepair<Finding> | undefined = kinds[current.kind].repair;
    if (method?.isPossible(current) !== true) break;
    const write = () => isDone(method.write(timedSession(database), current));
    if (await limiter.run(repairUnits, write)) repaired.push(current);
    remaining = await check.recheck(records, current, database.clock.now());
  }
  return { repaired, remaining };
}

export function findingText(finding: Finding): string {
  const subject = 'key' in finding ? `The record ${keyText(finding.key)}` : `Account ${quoted(finding.account)}:`;
  return `${subject} ${kinds[finding.kind].text(finding)}.`;
}

/** Describes what was done about a finding, and what a person should do about the rest. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${kinds[kind].repair?.text}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing to repair: it has changed meanwhile.';
  const left = done.length === 0 ? [] : [`Now: ${findingText(remaining)}`];
  return [...done, ...left, `Left to you: ${kinds[remaining.kind].advice}.`].join(' ');
}

export const keyText = ({ pk, sk }: Key): string => `${quoted(pk)} / ${quoted(sk)}`;

/** Counts, updated as a verification runs: scanned records, suspects among them, and rechecked suspects. */
export interface Progress {
  records: number;
  suspects: number;
  rechecked: number;
}

/**
 * Finds every violated invariant in a table. Writes nothing, and can run during live traffic: the scan reads items and
 * guards at different times, so every suspect is rechecked before it becomes a finding.
 */
export async function verifyTable(table: PacedTable, records: Records, progress: Progress): Promise<Finding[]> {
  const collected = checks.map((check) => ({ check, collector: check.collect() }));
  const { now } = table.database.clock;
  await scanTable(table, (page) => {
    for (const record of page) {
      const key = parseKey(keyIn(record));
      for (const { collector } of collected) collector.add(record, key, now());
    }
    progress.records += page.length;
  });
  const suspects = collected.flatMap(({ check, collector }) =>
    collector.suspects().map((suspect) => ({ check, suspect })),
  );
  progress.suspects = suspects.length;
  const findings: (Finding | undefined)[] = [];
  await inParallel(segments, suspects.entries(), async ([index, { check, suspect }]) => {
    findings[index] = await check.recheck(records, suspect, now());
    progress.rechecked += 1;
  });
  return findings.filter((finding) => finding !== undefined);
}

export const rateLimitedRecords = ({ database, limiter }: Pick<PacedTable, 'database' | 'limiter'>): Records => ({
  get: async (key) =>
    canExist(key) ? limiter.run(1, () => getRecord(timedSession(database), key), readUnits) : undefined,
  query: (partition) => limiter.run(1, () => queryPartition(timedSession(database), partition), readUnits),
});

/** Whether a key is within DynamoDB's limits. A key derived from a damaged record may be too long. */
const canExist = ({ pk, sk }: Key): boolean => Buffer.byteLength(pk) <= 2_048 && Buffer.byteLength(sk) <= 1_024;
