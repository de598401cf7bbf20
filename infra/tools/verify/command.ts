import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CatalogError } from '../../../lib/item/errors.ts';
import type { Finding } from '../../../lib/operator/verification/finding.ts';
import { RateLimiter } from '../../../lib/operator/verification/rateLimiter.ts';
import type { Repair } from '../../../lib/operator/verification/repair.ts';
import { repair } from '../../../lib/operator/verification/repair.ts';
import type { ScanSource } from '../../../lib/operator/verification/scanTable.ts';
import type { Progress } from '../../../lib/operator/verification/verifyTable.ts';
import { inParallel, rateLimitedRecords, verifyTable } from '../../../lib/operator/verification/verifyTable.ts';
import { openDatabase } from '../../../lib/runtime/composition.ts';
import type { Database } from '../../../lib/store/database/database.ts';
import { documentClient } from '../../../lib/store/database/documentClient.ts';
import { retryReason } from '../../../lib/store/database/failures.ts';
import { CommandError } from '../../cli/commandError.ts';
import { findTable } from '../../cli/findTable.ts';
import { print } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { showProgress } from '../../cli/showProgress.ts';
import { findingText } from './findingText.ts';
import { help, readArguments, type VerifyOptions } from './options.ts';
import { progressText, summaryText } from './progressText.ts';
import { repairText } from './repairText.ts';

/** A finding and its repair. */
type Result = { readonly finding: Finding } & Repair;

/** @returns the exit code */
async function verify({ env, table, repair: repairs, json, segments, rate }: VerifyOptions): Promise<number> {
  const { database, source } = await open(env, table);
  const limiter = new RateLimiter(rate, database.clock);
  const records = rateLimitedRecords(database, limiter);
  const progress: Progress = { records: 0, suspects: 0, rechecked: 0 };
  const results: Result[] = [];
  const shown = showProgress(() => progressText(progress, repairs ? results.length : undefined));
  const printLine = (line: string): void => {
    shown.clear();
    if (!json) print(line);
  };
  try {
    const findings = await verifyTable(source, records, { segments, limiter, now: database.clock.now, progress });
    await inParallel(repairs ? segments : 1, findings.values(), async (finding) => {
      const outcome = repairs
        ? await repair(database, records, limiter, finding)
        : { repaired: [], remaining: finding };
      results.push({ finding, ...outcome });
      printLine(repairs ? `${findingText(finding)} ${repairText(outcome)}` : findingText(finding));
    });
  } catch (error) {
    if (!isOutage(error)) throw error;
    throw new CommandError(`The table ${database.table} cannot be used: ${reasonOf(error)}`, 1, { cause: error });
  } finally {
    shown.end();
  }
  const remaining = results.filter((result) => result.remaining !== undefined).length;
  const units = Math.ceil(limiter.spent);
  print(
    json
      ? JSON.stringify({ records: progress.records, units, remaining, results })
      : summaryText(progress.records, units, results.length, remaining),
  );
  return remaining === 0 ? 0 : 1;
}

/** A scan page may take longer than a request of the API, so the scan has its own client with the SDK's retries. */
async function open(
  env: VerifyOptions['env'],
  table: string | undefined,
): Promise<{ database: Database; source: ScanSource }> {
  const location = await findTable(env, table);
  const { table: name, dynamodb, ...signing } = location;
  const client = new DynamoDBClient({
    ...signing,
    ...(dynamodb !== undefined && { endpoint: dynamodb }),
    maxAttempts: 5,
    requestHandler: { connectionTimeout: 1_000, requestTimeout: 10_000, throwOnRequestTimeout: true },
  });
  return { database: openDatabase(location), source: { client: documentClient(client), table: name } };
}

/** Failures outside this program: the network, DynamoDB, or missing permissions. */
const isOutage = (error: unknown): error is Error =>
  error instanceof Error && (error instanceof CatalogError || retryReason(error) !== undefined || '$metadata' in error);

function reasonOf({ message, cause }: Error): string {
  return cause instanceof Error ? reasonOf(cause) : message;
}

await runCommand(async (args) => {
  const given = readArguments(args);
  if (given !== 'help') return verify(given);
  print(help);
  return 0;
});
