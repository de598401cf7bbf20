import type { Stack } from '@aws-sdk/client-cloudformation';
import {
  CloudWatchClient,
  type CompositeAlarm,
  GetMetricDataCommand,
  type Metric,
  type MetricAlarm,
  paginateDescribeAlarms,
} from '@aws-sdk/client-cloudwatch';
import { paginateListSubscriptionsByTopic, SNSClient } from '@aws-sdk/client-sns';
import { SSMClient } from '@aws-sdk/client-ssm';
import { accountOf, outputIn, requireOutput, requireStack } from '../../cli/findStack.ts';
import { type Connection, connectionTo, versionsOf } from '../../cli/liveVersions.ts';
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
import { readHeartbeatToken } from '../smoke/heartbeatHandler.ts';

/** A part of the status, for programs and for people. */
interface Part {
  readonly data: object;
  readonly text: string;
  /** False if somebody should do something about it. */
  readonly isWell: boolean;
}

/**
 * Reads the state of an environment. Times are in ISO 8601.
 * @returns it, for people and for programs, and whether all parts could be read and are well
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
  const alarms = readAlarms(cloudWatch, stackName(environment));
  const parts = await Promise.all([
    readPart('functions', 'Versions', liveVersions(connection, stack, commit)),
    readPart('alarms', 'Alarms', alarmsOn(alarms, stackName(environment))),
    readPart('tickets', 'Tickets go to', recipients(connection, settings, 'tickets', alarms, awsAccount)),
    readPart('pages', 'Pages go to', recipients(connection, settings, 'pages', alarms, awsAccount)),
    readPart('heartbeat', 'Heartbeat, last hour', lastHour(cloudWatch, settings, table)),
    readPart('token', "Heartbeat's token", tokenEnd(connection, settings, environment)),
    readPart('verification', 'Last verification', lastVerification(cloudWatch, settings, table)),
    readPart('backup', 'Last backup in the other account', lastBackup(cloudWatch, settings)),
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
async function readPart(name: string, title: string, reading: Promise<Part | undefined>) {
  const { data, text, isWell } = await reading.then(
    (part) => part ?? { data: undefined, text: 'not in the settings', isWell: true },
    ({ message }: Error) => ({ data: { unreadable: message }, text: `cannot be read: ${message}`, isWell: false }),
  );
  return { name, data, isWell, text: `${title}:${text.startsWith('\n') ? '' : ' '}${text}` };
}

async function liveVersions(connection: Connection, stack: Stack, latest = unknownCommit): Promise<Part> {
  const data = (await versionsOf(connection, stack)).map(({ name, live, commit, deployed }) => {
    const { FunctionVersion, RoutingConfig: { AdditionalVersionWeights: shifting = {} } = {} } = live;
    return { name, live: FunctionVersion, commit, shifting, deployed };
  });
  const rows = data.map(({ name, live, commit = unknownCommit, shifting, deployed }) => {
    const shares = Object.entries(shifting);
    const others = shares.map(([version, share]) => `, ${Math.round(share * 100)} % version ${version}`).join('');
    const isLive = `live: version ${live}${others} (commit ${commit})`;
    return [`  ${name}`, isLive, `deployed: version ${deployed} (commit ${latest})`];
  });
  const text = rows.length === 0 ? `no earlier ones are kept; commit ${latest}` : `\n${columns(rows)}`;
  return { data, text, isWell: true };
}

/** Reads the alarms of a stack. The composite one, which only joins others, pages. */
async function readAlarms(client: CloudWatchClient, stack: string) {
  const wanted = { AlarmNamePrefix: `${stack}-`, AlarmTypes: [...(['MetricAlarm', 'CompositeAlarm'] as const)] };
  const tickets: MetricAlarm[] = [];
  const pages: CompositeAlarm[] = [];
  for await (const { MetricAlarms = [], CompositeAlarms = [] } of paginateDescribeAlarms({ client }, wanted)) {
    tickets.push(...MetricAlarms);
    pages.push(...CompositeAlarms);
  }
  return { tickets, pages };
}

type Alarms = ReturnType<typeof readAlarms>;

async function alarmsOn(alarms: Alarms, stack: string): Promise<Part> {
  const data = (await alarms).tickets
    .filter(({ StateValue }) => StateValue === 'ALARM')
    .map(({ AlarmName = '', AlarmDescription = '', StateUpdatedTimestamp, ...alarm }) => {
      const { StateTransitionedTimestamp: since = StateUpdatedTimestamp } = alarm;
      // CloudFormation has named it after the stack, its place there, and two random parts.
      const name = AlarmName.slice(stack.length + 1).replace(/^(?:alarms)?(.+?)[0-9A-F]{8}-\w+$/, '$1');
      return { name, since: since?.toISOString(), text: AlarmDescription.split('\n')[0] };
    });
  const rows = data.map(({ name, since, text }) => [`  ${name}`, `since ${since}`, text]);
  return { data, text: data.length === 0 ? 'none is on' : `\n${columns(rows)}`, isWell: data.length === 0 };
}

/** Who is notified by the topics of the alarms. It is well if somebody has confirmed that. */
async function recipients(
  connection: Connection,
  settings: Settings,
  kind: 'tickets' | 'pages',
  alarms: Alarms,
  awsAccount: string | undefined,
): Promise<Part | undefined> {
  if (settings.alarms?.[kind] === undefined) return undefined;
  const client = new SNSClient(connection);
  const notifying: readonly { readonly AlarmActions?: string[] | undefined }[] = (await alarms)[kind];
  const confirmed: string[] = [];
  const unconfirmed: string[] = [];
  for (const TopicArn of new Set(notifying.flatMap(({ AlarmActions = [] }) => AlarmActions))) {
    // Only its own account knows who has subscribed to a topic.
    if (TopicArn.split(':')[4] !== awsAccount) confirmed.push(TopicArn);
    else
      for await (const { Subscriptions = [] } of paginateListSubscriptionsByTopic({ client }, { TopicArn }))
        for (const { Endpoint = '', SubscriptionArn = '' } of Subscriptions)
          (SubscriptionArn.startsWith('arn:') ? confirmed : unconfirmed).push(Endpoint);
  }
  const others = unconfirmed.length === 0 ? '' : `, not confirmed: ${unconfirmed.join(', ')}`;
  const text = `${confirmed.join(', ') || 'nobody'}${others}`;
  return { data: { confirmed, unconfirmed }, text, isWell: confirmed.length > 0 };
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

/** How many minutes of the last hour had a heartbeat without and with failed checks. An alarm says if that is bad. */
async function lastHour(
  client: CloudWatchClient,
  { heartbeatToken }: Settings,
  table: string,
): Promise<Part | undefined> {
  if (heartbeatToken === undefined) return undefined;
  const minutes = await readMetric(client, ownMetric(metricNames.heartbeatFailures, table), 'Minimum', 1);
  const bad = minutes.filter(({ value }) => value > 0);
  const [failed, passed, lastFailed] = [bad.length, minutes.length - bad.length, bad[0]?.at];
  const when = lastFailed === undefined ? '' : `, the last one at ${lastFailed}`;
  const text = `${passed} passed, ${failed} failed${when}, ${Math.max(0, 60 - minutes.length)} not reported`;
  return { data: { passed, failed, lastFailed }, text, isWell: minutes.length > 0 };
}

async function tokenEnd(
  connection: Connection,
  { heartbeatToken: Name }: Settings,
  environment: EnvironmentName,
): Promise<Part | undefined> {
  if (Name === undefined) return undefined;
  const { expiresAt = 0 } = (await readHeartbeatToken(new SSMClient(connection), Name)) ?? {};
  const expires = expiresAt === 0 ? undefined : new Date(expiresAt).toISOString();
  const text =
    expires === undefined ? `missing: npm run admin -- heartbeat --env ${environment}` : `expires ${expires}`;
  return { data: { expires }, text, isWell: expiresAt > Date.now() };
}

/** The hours in which a run is looked for of what runs once a day. */
const daily = 3 * 24;

async function lastVerification(
  client: CloudWatchClient,
  { verification }: Settings,
  table: string,
): Promise<Part | undefined> {
  if (!verification) return undefined;
  const [last] = await readMetric(client, ownMetric(metricNames.verificationFindings, table), 'Maximum', daily);
  const { at, value: findings } = last ?? {};
  const text = at === undefined ? 'none in three days' : `${at}, findings: ${findings}`;
  return { data: { at, findings }, text, isWell: at !== undefined };
}

async function lastBackup(client: CloudWatchClient, { backup }: Settings): Promise<Part | undefined> {
  if (backup === undefined) return undefined;
  const Dimensions = [{ Name: 'BackupVaultName', Value: backup.vault.split(':').at(-1) }];
  const copied = { Namespace: 'AWS/Backup', MetricName: 'NumberOfCopyJobsCompleted', Dimensions };
  const copies = await readMetric(client, copied, 'Sum', daily);
  const at = copies.find(({ value }) => value > 0)?.at;
  return { data: { at }, text: at ?? 'none in three days', isWell: at !== undefined };
}
