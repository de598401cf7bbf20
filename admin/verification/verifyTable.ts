import { usingTable } from '../../cli/usingTable.ts';
import { getRecord, queryPartition } from '../../lib/store/database/database.ts';
import { isDone } from '../../lib/store/database/failures.ts';
import type { Key } from '../../lib/store/database/record.ts';
import { keyIn, parseKey } from '../../lib/store/records/keys.ts';
import { count } from '../columns.ts';
import type { OpenTable } from '../table/openTable.ts';
import { timedSession } from '../table/operatorSession.ts';
import { RateLimiter } from '../table/rateLimiter.ts';
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

export type FindingResult = { readonly finding: Finding } & Repair;

/** Whether a guard reserves an identifier for an item that does not exist, because it was perhaps lost. */
const isOfMissingItem = (finding: Finding): boolean =>
  finding.kind === 'guard orphaned' &&
  finding.items.some(({ id, state }) => id === finding.owner && state === 'absent');

const lostText =
  'Items may be lost: restore them before you repair, which frees their identifiers for others. Page: docs/operations.md#restore';

/**
 * Verifies a table, and prints the progress, how many findings there are of each kind, each finding and a summary.
 * @param repairs whether to repair the findings that need no decision
 * @param allowLoss called before repairs with the number of guards of missing items, which they delete; throws to prevent
 * that. Undefined for a restored table, whose items are all that there are
 * @throws CommandError if the table cannot be used
 */
export async function printFindings(
  open: OpenTable,
  { repairs, rate }: { readonly repairs: boolean; readonly rate: number },
  printLine: (line: string) => void,
  allowLoss?: (guards: number) => Promise<void>,
) {
  const { database } = open;
  const table = { ...open, limiter: new RateLimiter(rate, database.clock) };
  const records = rateLimitedRecords(table);
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const results: FindingResult[] = [];
  const working = <Done>(work: () => Promise<Done>): Promise<Done> =>
    usingTable(database.table, work, () => verifyProgressText(progress, results.length));
  const findings = await working(() => verifyTable(table, records, progress));
  printKinds(findings, printLine);
  const missing = allowLoss === undefined ? 0 : findings.filter(isOfMissingItem).length;
  const printLoss = () => missing > 0 && printLine(lostText);
  printLoss();
  if (repairs) await allowLoss?.(missing);
  await working(() =>
    inParallel(repairs ? segments : 1, findings.values(), async (finding) => {
      const outcome = repairs ? await repair(table, records, finding) : { repaired: [], remaining: finding };
      results.push({ finding, ...outcome });
      printLine(repairs ? `${findingText(finding)} ${repairText(outcome)}` : findingText(finding));
    }),
  );
  const remaining = results.filter((result) => result.remaining !== undefined).length;
  const units = Math.ceil(table.limiter.spent);
  // Again, because the first line of many is out of sight.
  if (!repairs) printLoss();
  printLine(summaryText(progress.records, units, results.length, remaining));
  return { records: progress.records, units, remaining, results };
}

/** Prints the number of findings of each kind, because there can be hundreds. */
function printKinds(findings: readonly Finding[], printLine: (line: string) => void): void {
  if (findings.length < 2) return;
  for (const [kind, { length }] of Map.groupBy(findings, (finding) => finding.kind))
    printLine(`${kind}: ${count(length)}`);
}

const verifyProgressText = ({ records, suspects, rechecked }: Progress, processed: number): string =>
  `${count(records)} records scanned, ${count(rechecked)} of ${count(suspects)} suspects rechecked, ${count(processed)} findings processed`;

function summaryText(records: number, units: number, found: number, remaining: number): string {
  const scanned = `${count(records)} records scanned with ${count(units)} capacity units`;
  if (found === 0) return `${scanned}: the table is consistent.`;
  const repaired = found === remaining ? '' : `, ${count(found - remaining)} of them repaired`;
  return `${scanned}: ${count(found)} ${found === 1 ? 'finding' : 'findings'}${repaired}.`;
}
