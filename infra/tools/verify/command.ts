import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CatalogError } from '../../../lib/item/errors.ts';
import { RateLimiter } from '../../../lib/operator/verification/rateLimiter.ts';
import type { Finding } from '../../../lib/operator/verification/recheck.ts';
import type { Repair } from '../../../lib/operator/verification/repair.ts';
import { repair } from '../../../lib/operator/verification/repair.ts';
import type { ScanSource } from '../../../lib/operator/verification/scanTable.ts';
import type { Progress } from '../../../lib/operator/verification/verifyTable.ts';
import { inParallel, rateLimitedRecords, verifyTable } from '../../../lib/operator/verification/verifyTable.ts';
import { openDatabase } from '../../../lib/runtime/composition.ts';
import type { Database } from '../../../lib/store/database/database.ts';
import { retryReason } from '../../../lib/store/database/failures.ts';
import { givenEnvironment, readOptions, wholeNumber } from '../../cli/arguments.ts';
import { findTable } from '../../cli/findTable.ts';
import { CommandError, runCommand } from '../../cli/runCommand.ts';
import { showProgress } from '../../cli/showProgress.ts';
import type { EnvironmentName } from '../../environments.ts';
import { environmentNames } from '../../environments.ts';
import { findingText, repairText } from './findingText.ts';

const most = { segments: 100, rate: 100_000 };

const help = `Looks whether a table holds what the service relies on: every code has its guard and every guard its item, no code
is held twice, no id is above its counter, every record can be read, every token is in its account's list.
The service may go on meanwhile: what is written during the scan is no finding.

  npm run verify-table -- [options]

  --env ${environmentNames.join('|')} a deployed environment; without it, the service that runs on this machine
  --table NAME           another table in the same place, as one restored from a backup
  --repair               repair guards and counters, as is needed after a restore from a backup; who keeps a code that
                         two items have, and what to do with unreadable records and tokens, is left to you
  --segments N           how many parts of the table are read at once, 1 to ${most.segments}: 4 unless given
  --rate N               the most capacity units a second that this uses, 1 to ${most.rate}: 500 unless given
  --json                 answer in JSON, for programs
  --help                 show this

Exit code: 0 all holds, 1 something is left or the table could not be read, 2 wrong arguments.

On a deployed table it needs cloudformation:DescribeStacks on the stack and, on the table, dynamodb:Scan,
dynamodb:GetItem and dynamodb:Query; with --repair also dynamodb:ConditionCheckItem, dynamodb:PutItem,
dynamodb:DeleteItem and dynamodb:UpdateItem. Without --repair nothing is written.`;

interface Options {
  readonly env: EnvironmentName | undefined;
  readonly table: string | undefined;
  readonly repair: boolean;
  readonly json: boolean;
  readonly segments: number;
  readonly rate: number;
}

const text = { type: 'string' } as const;
const flag = { type: 'boolean', default: false } as const;
const options = { env: text, table: text, repair: flag, json: flag, help: flag, segments: text, rate: text };

function readArguments(args: readonly string[]): Options | 'help' {
  const { env, help: helpWanted, segments, rate, ...given } = readOptions(args, options);
  if (helpWanted) return 'help';
  return {
    ...given,
    env: env === undefined ? undefined : givenEnvironment(env),
    table: given.table,
    segments: wholeNumber('segments', segments, { initial: 4, most: most.segments }),
    rate: wholeNumber('rate', rate, { initial: 500, most: most.rate }),
  };
}

/** @returns the exit code */
async function verify({ env, table, repair: repairs, json, segments, rate }: Options): Promise<number> {
  const { database, source } = await open(env, table);
  const limiter = new RateLimiter(rate, database.clock);
  const records = rateLimitedRecords(database, limiter);
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const results: Result[] = [];
  const shown = showProgress(() => progressText(progress, repairs ? results.length : undefined));
  const say = (line: string): void => {
    shown.clear();
    if (!json) console.log(line);
  };
  try {
    const findings = await verifyTable(source, records, { segments, limiter, now: database.clock.now, progress });
    await inParallel(repairs ? segments : 1, findings.values(), async (finding) => {
      const outcome = repairs
        ? await repair(database, records, limiter, finding)
        : { repaired: [], remaining: finding };
      results.push({ finding, ...outcome });
      say(repairs ? `${findingText(finding)} ${repairText(outcome)}` : findingText(finding));
    });
  } catch (error) {
    throw isOutage(error) ? new CommandError(`The table ${database.table} cannot be used: ${reasonOf(error)}`) : error;
  } finally {
    shown.end();
  }
  const remaining = results.filter((result) => result.remaining !== undefined).length;
  const units = Math.ceil(limiter.spent);
  console.log(
    json
      ? JSON.stringify({ records: progress.records, units, remaining, results })
      : summary(progress.records, units, results.length, remaining),
  );
  return remaining === 0 ? 0 : 1;
}

/** A finding, and what became of it. */
type Result = { readonly finding: Finding } & Repair;

/** The table, and a client of its own for the scan, which may take longer than a request and repeats what fails by itself. */
async function open(
  env: EnvironmentName | undefined,
  table: string | undefined,
): Promise<{ database: Database; source: ScanSource }> {
  const place = await findTable(env, table);
  const client = new DynamoDBClient({
    ...(place.dynamodb !== undefined && { endpoint: place.dynamodb }),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return { database: openDatabase(place), source: { client, table: place.table } };
}

const count = (number: number): string => number.toLocaleString('en');

function progressText({ records, suspects, rechecked }: Progress, repaired: number | undefined): string {
  const scanned = `${count(records)} records scanned`;
  if (suspects === 0) return scanned;
  const looked = `${scanned}, ${count(rechecked)} of ${count(suspects)} suspects rechecked`;
  return rechecked < suspects || repaired === undefined ? looked : `${looked}, ${count(repaired)} findings dealt with`;
}

function summary(records: number, units: number, findings: number, left: number): string {
  const scanned = `${count(records)} records scanned with ${count(units)} capacity units`;
  if (findings === 0) return `${scanned}: everything holds.`;
  const repaired = findings === left ? '' : `, ${count(findings - left)} of them repaired`;
  return `${scanned}: ${count(findings)} ${findings === 1 ? 'finding' : 'findings'}${repaired}.`;
}

/** What fails outside of this program: the network, DynamoDB, permissions. */
const isOutage = (error: unknown): boolean =>
  error instanceof CatalogError || retryReason(error) !== undefined || '$metadata' in (error as object);

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? reasonOf(cause) : message;
}

await runCommand(async (args) => {
  const given = readArguments(args);
  if (given !== 'help') return verify(given);
  console.log(help);
  return 0;
});
