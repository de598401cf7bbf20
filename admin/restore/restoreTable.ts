import {
  ContinuousBackupsUnavailableException,
  DescribeContinuousBackupsCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  type DynamoDBClient,
  ResourceNotFoundException,
  RestoreTableToPointInTimeCommand,
  type TableDescription,
  UpdateContinuousBackupsCommand,
  UpdateTableCommand,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { CommandError } from '../../cli/print.ts';
import type { Settings } from '../../infra/environments.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { keyAttributes } from '../../lib/store/database/record.ts';

type Client = Pick<DynamoDBClient, 'send'>;
type Sleep = (milliseconds: number) => Promise<void>;

/** Polling interval while a table is being restored, in milliseconds. A restore takes minutes to hours. */
const interval = 10_000;

/** The new table's name. It is the same for the same time, so that a command that was killed can continue with it. */
export const restoredName = (table: string, to: EpochMs): string =>
  `${table}-restored-${new Date(to).toISOString().replace(/[-:]|\.\d+/g, '')}`;

interface Restore {
  readonly table: string;
  readonly target: string;
  /** A whole second. */
  readonly to: EpochMs;
}

/**
 * Restores a table to a new one by point-in-time recovery, unless that was begun before, and waits until it can be used.
 * @throws CommandError if it cannot be restored to that time, or another table has the new one's name
 */
export async function restoreTable(client: Client, restore: Restore, sleep: Sleep): Promise<void> {
  const existing = await describe(client, restore.target);
  if (existing === undefined) await start(client, restore);
  else requireCopy(existing, restore);
  await untilReady(client, restore.target, sleep);
}

/**
 * Requires that a table was restored from another one as of a time. Another environment's, or one in use, would be copied
 * as well.
 * @param isAnySource whether it only has to exist
 * @throws CommandError if it was not
 */
export async function requireRestored(client: Client, restore: Restore, isAnySource = false): Promise<void> {
  const described = await describe(client, restore.target);
  if (described === undefined) throw new CommandError(`There is no table ${restore.target}.`);
  if (!isAnySource) requireCopy(described, restore);
}

function requireCopy({ RestoreSummary }: TableDescription, { table, target, to }: Restore): void {
  const { SourceTableArn, RestoreDateTime } = RestoreSummary ?? {};
  if (RestoreDateTime === undefined || SourceTableArn?.endsWith(`:table/${table}`) !== true)
    throw new CommandError(`The table ${target} was not restored from ${table}.`);
  // A backup can have been made within a second.
  if (Math.floor(RestoreDateTime.getTime() / 1_000) * 1_000 !== to)
    throw new CommandError(
      `The table ${target} was restored as of ${RestoreDateTime.toISOString()}, not ${new Date(to).toISOString()}.`,
    );
}

async function start(client: Client, { table, target, to }: Restore): Promise<void> {
  const { ContinuousBackupsDescription } = await client.send(
    new DescribeContinuousBackupsCommand({ TableName: table }),
  );
  const { EarliestRestorableDateTime: earliest, LatestRestorableDateTime: latest } =
    ContinuousBackupsDescription?.PointInTimeRecoveryDescription ?? {};
  if (earliest === undefined || latest === undefined)
    throw new CommandError(`The table ${table} has no point-in-time recovery, so there is nothing to restore it from.`);
  if (to < earliest.getTime() || to > latest.getTime())
    throw new CommandError(
      `The table ${table} can be restored to a time from ${earliest.toISOString()} to ${latest.toISOString()}.`,
    );
  const tables = { SourceTableName: table, TargetTableName: target };
  await client.send(new RestoreTableToPointInTimeCommand({ ...tables, RestoreDateTime: new Date(to) }));
}

async function describe(client: Client, table: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName: table }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

async function untilReady(client: Client, table: string, sleep: Sleep): Promise<TableDescription> {
  for (;;) {
    const described = await describe(client, table);
    if (described === undefined) throw new CommandError(`The table ${table} has disappeared: the restore has failed.`);
    const { TableStatus, RestoreSummary, GlobalSecondaryIndexes = [] } = described;
    const isRestoring = RestoreSummary?.RestoreInProgress === true;
    const indexes = GlobalSecondaryIndexes.map(({ IndexStatus }) => IndexStatus);
    if (!isRestoring && [TableStatus, ...indexes].every((status) => status === 'ACTIVE')) return described;
    if (!isRestoring && !['ACTIVE', 'CREATING', 'UPDATING'].includes(String(TableStatus)))
      throw new CommandError(`The table ${table} cannot be used: it is ${TableStatus}.`);
    await sleep(interval);
  }
}

/**
 * Enables what a restore does not: deletion protection, the expiry of records, and point-in-time recovery. So nobody
 * deletes the restored table by mistake, and it can replace the other one. Can be repeated.
 */
export async function protectTable(
  client: Client,
  table: string,
  settings: Pick<Settings, 'keepsData' | 'recoveryDays'>,
  sleep: Sleep,
): Promise<void> {
  const { DeletionProtectionEnabled = false } = await untilReady(client, table, sleep);
  if (settings.keepsData && !DeletionProtectionEnabled) {
    await client.send(new UpdateTableCommand({ TableName: table, DeletionProtectionEnabled: true }));
    await untilReady(client, table, sleep);
  }
  await enableExpiry(client, table);
  await enableRecovery(client, table, settings.recoveryDays, sleep);
}

/** DynamoDB rejects enabling TTL if it is already enabled, so check first. */
async function enableExpiry(client: Client, table: string): Promise<void> {
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: table }));
  const status = TimeToLiveDescription?.TimeToLiveStatus;
  if (status === 'ENABLED' || status === 'ENABLING') return;
  const TimeToLiveSpecification = { AttributeName: keyAttributes.expiry, Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName: table, TimeToLiveSpecification }));
}

/** Backups of a new table can only be enabled some time after the table is ready. */
async function enableRecovery(client: Client, table: string, days: number, sleep: Sleep): Promise<void> {
  const PointInTimeRecoverySpecification = { PointInTimeRecoveryEnabled: true, RecoveryPeriodInDays: days };
  for (let attempts = 30; ; attempts -= 1)
    try {
      await client.send(new UpdateContinuousBackupsCommand({ TableName: table, PointInTimeRecoverySpecification }));
      return;
    } catch (error) {
      if (!(error instanceof ContinuousBackupsUnavailableException) || attempts === 1) throw error;
      await sleep(interval);
    }
}
