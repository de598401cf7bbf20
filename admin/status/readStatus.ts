import {
  CloudWatchClient,
  GetMetricDataCommand,
  type Metric,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { SSMClient } from '@aws-sdk/client-ssm';
import { accountOf, outputIn, requireOutput, requireStack } from '../../cli/findStack.ts';
import { connectionTo, type VersionedFunction, versionsOf } from '../../cli/liveVersions.ts';
import { type EnvironmentName, outputs, type Settings, settingsOf, stackName } from '../../infra/environments.ts';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import { readHeartbeatToken } from '../smoke/heartbeatToken.ts';

/** Why a part could not be read. One missing right, or one service that is down, hides nothing else. */
interface Unreadable {
  readonly unreadable: string;
}

export type Status = Awaited<ReturnType<typeof readStatus>>;

/**
 * Reads what somebody wants to know first of an environment. Times are in ISO 8601.
 * @throws CommandError if its stack cannot be read
 */
export async function readStatus(environment: EnvironmentName) {
  const settings = settingsOf(environment);
  const stack = await requireStack(environment);
  const connection = connectionTo(settings.region);
  const cloudWatch = new CloudWatchClient(connection);
  const table = requireOutput(environment, stack, outputs.tableName);
  const [functions, alarms, heartbeat, token, verification, backup] = await Promise.all([
    orReason(versionsOf(connection, stack).then((functions) => functions.map(versionsIn))),
    orReason(alarmsOn(cloudWatch, stackName(environment))),
    orReason(lastHour(cloudWatch, settings, table)),
    orReason(tokenEnd(connection, settings)),
    orReason(lastVerification(cloudWatch, settings, table)),
    orReason(lastBackup(cloudWatch, settings)),
  ]);
  const { StackStatus: status, LastUpdatedTime, CreationTime } = stack;
  const deployed = { status, since: (LastUpdatedTime ?? CreationTime)?.toISOString() };
  const place = { environment, awsAccount: accountOf(stack), region: settings.region, table };
  const commit = outputIn(stack, outputs.commit);
  return { ...place, ...deployed, commit, functions, alarms, heartbeat, token, verification, backup };
}

const orReason = <Part>(reading: Promise<Part>): Promise<Part | Unreadable> =>
  reading.catch(({ message }: Error) => ({ unreadable: message }));

const versionsIn = ({ name, live, commit, deployed }: VersionedFunction) => {
  const { FunctionVersion, RoutingConfig: { AdditionalVersionWeights: shifting = {} } = {} } = live;
  return { name, live: FunctionVersion, commit, shifting, deployed };
};

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
async function lastHour(client: CloudWatchClient, { heartbeat }: Settings, table: string) {
  if (!heartbeat) return undefined;
  const minutes = await readMetric(client, ownMetric(metricNames.heartbeatFailures, table), 'Minimum', 1);
  const failed = minutes.filter(({ value }) => value > 0);
  return { passed: minutes.length - failed.length, failed: failed.length, lastFailed: failed[0]?.at };
}

async function tokenEnd(connection: ReturnType<typeof connectionTo>, { heartbeatToken: Name }: Settings) {
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
