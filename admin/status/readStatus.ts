import { isDeepStrictEqual } from 'node:util';
import type { Stack } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { SSMClient } from '@aws-sdk/client-ssm';
import { accountOf, outputIn, requireOutput, requireStack } from '../../cli/findStack.ts';
import { connectionTo, versionsOf } from '../../cli/liveVersions.ts';
import {
  type EnvironmentName,
  outputs,
  type Settings,
  settingsOf,
  stackName,
  unknownCommit,
} from '../../infra/environments.ts';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import type { Output } from '../adminProgram.ts';
import { columns } from '../columns.ts';
import { readHeartbeatToken } from '../smoke/heartbeatToken.ts';

type Connection = ReturnType<typeof connectionTo>;

/**
 * Reads what somebody wants to know first of an environment. Times are in ISO 8601.
 * @returns it, for people and for programs, and whether all could be read and no alarm is on
 * @throws CommandError if its stack cannot be read
 */
export async function readStatus(environment: EnvironmentName): Promise<Output & { readonly isWell: boolean }> {
  const settings = settingsOf(environment);
  const { region } = settings;
  const stack = await requireStack(environment);
  const connection = connectionTo(region);
  const cloudWatch = new CloudWatchClient(connection);
  const table = requireOutput(environment, stack, outputs.tableName);
  const { StackStatus: status, LastUpdatedTime, CreationTime } = stack;
  const since = (LastUpdatedTime ?? CreationTime)?.toISOString();
  const commit = outputIn(stack, outputs.commit);
  const awsAccount = accountOf(stack);
  const parts = await Promise.all([
    readPart('functions', 'Versions', liveVersions(connection, stack), (functions) => versionsText(functions, commit)),
    readPart('alarms', 'Alarms', alarmsOn(cloudWatch, stackName(environment)), alarmsText),
    readPart('heartbeat', 'Heartbeat, last hour', lastHour(cloudWatch, settings, table), heartbeatText),
    readPart('token', "Heartbeat's token", tokenEnd(connection, settings), ({ expires }) =>
      expires === undefined ? `missing: npm run admin -- heartbeat --env ${environment}` : `expires ${expires}`,
    ),
    readPart('verification', 'Last verification', lastVerification(cloudWatch, settings, table), ({ at, findings }) =>
      at === undefined ? 'none in three days' : `${at}, findings: ${findings}`,
    ),
    readPart('backup', 'Last backup in the other account', lastBackup(cloudWatch, settings), ({ at }) => {
      return at ?? 'none in three days';
    }),
  ]);
  const data = {
    ...{ environment, awsAccount, region, table, status, since, commit },
    ...Object.fromEntries(parts.map(({ name, data }) => [name, data])),
  };
  const text = [
    `This is ${environment}, in the AWS account ${awsAccount}, ${region}: ${status} since ${since}.`,
    `Table: ${table}`,
    ...parts.map((part) => part.text),
  ].join('\n');
  return { text, data, isWell: parts.every((part) => part.isWell) };
}

/**
 * Reads a part of the status. If it cannot be read, it is the reason: one missing right, or one service that is down, hides
 * nothing else.
 * @param reading gives undefined if the settings leave the part out
 */
async function readPart<Part extends object>(
  name: string,
  title: string,
  reading: Promise<Part | undefined>,
  textOf: (part: Part) => string,
) {
  const show = (shown: string) => `${title}:${shown.startsWith('\n') ? '' : ' '}${shown}`;
  try {
    const data = await reading;
    const isWell = name !== 'alarms' || isDeepStrictEqual(data, []);
    return { name, data, isWell, text: show(data === undefined ? 'not in the settings' : textOf(data)) };
  } catch (error) {
    const { message } = error as Error;
    return { name, data: { unreadable: message }, isWell: false, text: show(`cannot be read: ${message}`) };
  }
}

async function liveVersions(connection: Connection, stack: Stack) {
  return (await versionsOf(connection, stack)).map(({ name, live, commit, deployed }) => {
    const { FunctionVersion, RoutingConfig: { AdditionalVersionWeights: shifting = {} } = {} } = live;
    return { name, live: FunctionVersion, commit, shifting, deployed };
  });
}

function versionsText(functions: Awaited<ReturnType<typeof liveVersions>>, latest = unknownCommit): string {
  if (functions.length === 0) return `no earlier ones are kept; commit ${latest}`;
  const rows = functions.map(({ name, live, commit = unknownCommit, shifting, deployed }) => {
    const shares = Object.entries(shifting);
    const others = shares.map(([version, share]) => `, ${Math.round(share * 100)} % version ${version}`).join('');
    const isLive = `live: version ${live}${others} (commit ${commit})`;
    return [`  ${name}`, isLive, `deployed: version ${deployed} (commit ${latest})`];
  });
  return `\n${columns(rows)}`;
}

/** The alarms that are on, without the composite one, which only joins others. */
async function alarmsOn(client: CloudWatchClient, stack: string) {
  const on: { readonly name: string; readonly since: string | undefined; readonly text: string }[] = [];
  const wanted = { AlarmNamePrefix: `${stack}-`, StateValue: 'ALARM' } as const;
  for await (const { MetricAlarms = [] } of paginateDescribeAlarms({ client }, wanted))
    for (const { AlarmName = '', AlarmDescription = '', StateUpdatedTimestamp, ...alarm } of MetricAlarms) {
      const { StateTransitionedTimestamp: since = StateUpdatedTimestamp } = alarm;
      // CloudFormation has named it after the stack, its place there, and two random parts.
      const name = AlarmName.slice(stack.length + 1).replace(/^(?:alarms)?(.+?)[0-9A-F]{8}-\w+$/, '$1');
      on.push({ name, since: since?.toISOString(), text: AlarmDescription.split('\n')[0] ?? '' });
    }
  return on;
}

const alarmsText = (on: Awaited<ReturnType<typeof alarmsOn>>): string =>
  on.length === 0
    ? 'none is on'
    : `\n${columns(on.map(({ name, since, text }) => [`  ${name}`, `since ${since}`, text]))}`;

/** Reads what was reported of a metric by the minute, the newest first. */
async function readMetric(client: CloudWatchClient, Metric: Metric, Stat: string, hours: number) {
  const EndTime = new Date();
  const StartTime = new Date(EndTime.getTime() - hours * 3_600_000);
  const MetricDataQueries = [{ Id: 'wanted', MetricStat: { Metric, Stat, Period: 60 } }];
  const { MetricDataResults: [{ Timestamps = [], Values = [] } = {}] = [] } = await client.send(
    new GetMetricDataCommand({ StartTime, EndTime, MetricDataQueries, ScanBy: 'TimestampDescending' }),
  );
  return Timestamps.map((time, index) => ({ at: time.toISOString(), value: Values[index] ?? 0 }));
}

const ownMetric = (MetricName: string, table: string): Metric => {
  return { Namespace: metricNamespace, MetricName, Dimensions: [{ Name: dimensions.table, Value: table }] };
};

/** How many minutes of the last hour had a heartbeat without and with failed checks. */
async function lastHour(client: CloudWatchClient, { heartbeatToken }: Settings, table: string) {
  if (heartbeatToken === undefined) return undefined;
  const minutes = await readMetric(client, ownMetric(metricNames.heartbeatFailures, table), 'Minimum', 1);
  const failed = minutes.filter(({ value }) => value > 0);
  return { passed: minutes.length - failed.length, failed: failed.length, lastFailed: failed[0]?.at };
}

function heartbeatText({ passed, failed, lastFailed }: NonNullable<Awaited<ReturnType<typeof lastHour>>>): string {
  const when = lastFailed === undefined ? '' : `, the last one at ${lastFailed}`;
  return `${passed} passed, ${failed} failed${when}, ${Math.max(0, 60 - passed - failed)} not reported`;
}

async function tokenEnd(connection: Connection, { heartbeatToken: Name }: Settings) {
  if (Name === undefined) return undefined;
  const token = await readHeartbeatToken(new SSMClient(connection), Name);
  return { expires: token && new Date(token.expiresAt).toISOString() };
}

/** The hours in which a run is looked for of what runs once a day. */
const daily = 3 * 24;

async function lastVerification(client: CloudWatchClient, { verification }: Settings, table: string) {
  if (!verification) return undefined;
  const [last] = await readMetric(client, ownMetric(metricNames.verificationFindings, table), 'Maximum', daily);
  return { at: last?.at, findings: last?.value };
}

async function lastBackup(client: CloudWatchClient, { backup }: Settings) {
  if (backup === undefined) return undefined;
  const Dimensions = [{ Name: 'BackupVaultName', Value: backup.vault.split(':').at(-1) }];
  const copied = { Namespace: 'AWS/Backup', MetricName: 'NumberOfCopyJobsCompleted', Dimensions };
  const copies = await readMetric(client, copied, 'Sum', daily);
  return { at: copies.find(({ value }) => value > 0)?.at };
}
