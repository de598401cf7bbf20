import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch';
import { SSMClient } from '@aws-sdk/client-ssm';
import { accountOf, outputIn, requireOutput, requireStack } from '../../cli/findStack.ts';
import { connectionTo, type VersionedFunction, versionsOf } from '../../cli/liveVersions.ts';
import { type EnvironmentName, outputs, type Settings, settingsOf, stackName } from '../../infra/environments.ts';
import { metricNames } from '../../lib/runtime/metrics.ts';
import { readHeartbeatToken } from '../smoke/heartbeatToken.ts';
import { type MetricReader, metricReader } from './metricReader.ts';

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
  const metrics = metricReader(cloudWatch, table);
  const [functions, alarms, heartbeat, token, verification, backup] = await Promise.all([
    orReason(versionsOf(connection, stack).then((functions) => functions.map(versionsIn))),
    orReason(alarmsOn(cloudWatch, stackName(environment))),
    orReason(lastHour(metrics, settings)),
    orReason(tokenEnd(connection, settings)),
    orReason(lastVerification(metrics, settings)),
    orReason(lastBackup(metrics, settings)),
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

/** How many minutes of the last hour had a heartbeat without and with failed checks. */
async function lastHour({ own }: MetricReader, { heartbeat }: Settings) {
  if (!heartbeat) return undefined;
  const minutes = await own(metricNames.heartbeatFailures, 'Minimum', 1);
  const failed = minutes.filter(({ value }) => value > 0);
  return { passed: minutes.length - failed.length, failed: failed.length, lastFailed: failed[0]?.at };
}

async function tokenEnd(connection: ReturnType<typeof connectionTo>, { heartbeatToken: Name }: Settings) {
  if (Name === undefined) return undefined;
  const token = await readHeartbeatToken(new SSMClient(connection), Name);
  return { expires: token && new Date(token.expiresAt).toISOString() };
}

/** Both run once a day. */
const days = 3 * 24;

async function lastVerification({ own }: MetricReader, { verification }: Settings) {
  if (!verification) return undefined;
  const [last] = await own(metricNames.verificationFindings, 'Maximum', days);
  return { at: last?.at, findings: last?.value };
}

async function lastBackup({ copiesTo }: MetricReader, { backup }: Settings) {
  if (backup === undefined) return undefined;
  const copies = await copiesTo(backup.vault, days);
  return { at: copies.find(({ value }) => value > 0)?.at };
}
