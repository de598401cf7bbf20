import { type IMetric, MathExpression, Metric, type MetricOptions, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import { nameIndex } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';
import type { CatalogApi } from './catalogApi.ts';
import type { CatalogFunctions } from './catalogFunction.ts';
import type { ChangeRecording } from './changeRecording.ts';
import { rateRules } from './firewall.ts';
import { vaultOf } from './tableBackup.ts';

/** The parts of the stack that the alarms and the dashboard watch. */
export interface MonitoredResources {
  readonly settings: Settings;
  readonly api: CatalogApi;
  readonly table: Table;
  readonly functions: CatalogFunctions;
  readonly recording: ChangeRecording;
}

/**
 * For alarms that look back over many periods. CloudWatch counts these back from each minute in which it looks, so longer
 * ones would be divided differently each time, and an alarm would go off and end by that alone.
 */
const minute = Duration.minutes(1);
const period = Duration.minutes(5);
const hour = Duration.hours(1);
const day = Duration.days(1);
const total = { period, statistic: Stats.SUM };
const highest = { period, statistic: Stats.MAXIMUM };
const lowest = { period: minute, statistic: Stats.MINIMUM };
const daily = { ...highest, period: day };
const p99 = { period, statistic: Stats.p(99) };

/**
 * What the alarms and the dashboard watch. Undefined if the environment does not have it.
 * @param ownTopics the topics of this stack that alarms notify. The metrics of others are in their own account.
 */
export const observedMetrics = (
  { settings, api, table, functions, recording }: MonitoredResources,
  ownTopics: readonly Topic[],
) => ({
  api: apiMetrics(api, settings, functions),
  firewall: settings.firewall && firewallMetrics(api, settings.firewall),
  functions: functionMetrics(functions),
  requests: requestMetrics(table),
  failedRows: reported(table, metricNames.failedRows, { ...total, period: hour }),
  refusedWrites: refusedWriteMetrics(table),
  table: tableMetrics(table),
  heartbeat: settings.heartbeatToken === undefined ? undefined : heartbeatMetrics(table),
  refusedUsers: settings.identity && refusedUserMetric(table),
  unreadableTokens:
    settings.identity && reported(table, metricNames.unreadableTokens, { ...total, label: 'Tokens not readable' }),
  verificationFindings: settings.verification
    ? orMissing('Findings of the verification', reported(table, metricNames.verificationFindings, daily))
    : undefined,
  /** How old the writes are when they are recorded. */
  recordingLag: recording.handler.metric('IteratorAge', { ...highest, label: 'Recorded after' }),
  events: settings.eventBus === undefined ? undefined : eventMetrics(table, settings),
  unreadableImages: reported(table, metricNames.unreadableImages, { ...total, label: 'Images not readable' }),
  backups: settings.backup && backupMetrics(settings.backup),
  /** The notifications that the topics of alarms could not deliver. */
  lostNotifications:
    ownTopics.length === 0
      ? undefined
      : sum(
          'Notifications lost',
          ownTopics.map((topic) => topic.metricNumberOfNotificationsFailed(total)),
        ),
});

export type ObservedMetrics = ReturnType<typeof observedMetrics>;

/** A number of requests in a minute that the heartbeat alone does not reach. */
const beyondHeartbeat = 20;

function apiMetrics(api: CatalogApi, { throttling }: Settings, { writeItems }: CatalogFunctions) {
  const requests = api.metricCount({ ...total, label: 'Requests' });
  const unauthorized = api.accessLogMetrics.unauthorized.with({ ...total, label: '401' });
  const throttled = api.accessLogMetrics.throttled.with({ ...total, label: '429' });
  const half = ({ rate }: { rate: number }) => (rate * period.toSeconds()) / 2;
  const share = api.metricServerError({ statistic: Stats.AVERAGE });
  /** @param least number of requests above which the rate is computed */
  const unauthorizedRate = (least: number, of: Duration) =>
    math('401 per request', `IF(requests > ${least}, unauthorized / requests, 0)`, { requests, unauthorized }, of);
  return {
    requests,
    clientErrors: api.metricClientError({ ...total, label: '4xx' }),
    serverErrors: api.metricServerError({ ...total, label: '5xx' }),
    hourlyServerErrors: api.metricServerError({ ...total, period: hour }),
    /**
     * How many more than 1 in 100 requests fail, in standard deviations of their number if it were 1 in 100: a share
     * alone is exceeded by chance where there are few requests, and a number where there are many. Beside the heartbeat
     * alone, a single caller would exceed both.
     */
    serverErrorExcess: math(
      '5xx beyond 1 in 100',
      `IF(requests > ${beyondHeartbeat}, (100 * share - 1) * (requests / 100) ^ 0.5, 0)`,
      { share, requests },
      minute,
    ),
    medianLatency: api.metricLatency({ period, statistic: Stats.p(50), label: 'p50' }),
    p99Latency: api.metricLatency({ ...p99, label: 'p99' }),
    throttled,
    /** API Gateway does not say whose limit was exceeded. The stage's own is not, while less than half of it is used. */
    stageThrottled: throttling.shares?.enforced
      ? math(
          '429 of the stage',
          `IF(SUM([FILL(requests, 0), -1 * FILL(throttled, 0)]) > ${half(throttling)} || FILL(batches, 0) > ${half(throttling.batches)}, throttled, 0)`,
          {
            requests,
            throttled,
            batches: writeItems.metricInvocations(total),
          },
        )
      : throttled,
    unknownKeys: api.accessLogMetrics.unknownKeys?.with({ ...total, label: 'Keys of shares not known' }),
    unauthorized,
    /** So that a few tokens that just expired do not count as a surge. */
    unauthorizedRate: unauthorizedRate(100, period),
    unauthorizedShare: unauthorizedRate(beyondHeartbeat, minute),
  };
}

/** The firewall's metrics, identified by the name of its web ACL. */
function firewallMetrics(api: CatalogApi, { managedRules = [] }: NonNullable<Settings['firewall']>) {
  const { stackName, region } = Stack.of(api);
  const of = (metricName: string, Rule: string) => {
    const dimensionsMap = { WebACL: stackName, Region: region, Rule };
    return new Metric({ namespace: 'AWS/WAFV2', metricName, dimensionsMap, ...total });
  };
  const allowed = of('AllowedRequests', 'ALL').with({ label: 'Allowed by the firewall' });
  const blocked = of('BlockedRequests', 'ALL').with({ label: 'Blocked by the firewall' });
  const limited = Object.values(rateRules).map((rule) => of('BlockedRequests', rule));
  const byRule = Object.fromEntries(managedRules.map((name, index) => [`rule${index}`, of('BlockedRequests', name)]));
  const refused = `SUM([${Object.keys(byRule).map((id) => `FILL(${id}, 0)`)}])`;
  const requests = 'SUM([FILL(allowed, 0), FILL(blocked, 0)])';
  return {
    allowed,
    blocked,
    throttled: sum('Blocked by rate limits', limited),
    /** Only computed above 100 requests, so that a few scanners do not count as a surge. */
    refusedRate:
      managedRules.length === 0
        ? undefined
        : math('Blocked by managed rules per request', `IF(${requests} > 100, ${refused} / ${requests}, 0)`, {
            allowed,
            blocked,
            ...byRule,
          }),
  };
}

/** The metric of the backups. AWS Backup reports it per destination vault, and only if there is a copy. */
function backupMetrics(backup: NonNullable<Settings['backup']>) {
  const copies = new Metric({
    namespace: 'AWS/Backup',
    metricName: 'NumberOfCopyJobsCompleted',
    dimensionsMap: { BackupVaultName: vaultOf(backup).name },
    ...total,
    period: day,
    label: 'Backups copied',
  });
  return { copies, missed: math('Days without a backup', 'IF(FILL(copies, 0) > 0, 0, 1)', { copies }, day) };
}

const heartbeatMetrics = (table: Table) => ({
  failures: orMissing('Failed checks of the heartbeat', reported(table, metricNames.heartbeatFailures, lowest)),
  expiringToken: reported(table, metricNames.expiringToken, { ...highest, period: hour, label: 'Token expires' }),
});

/** The metrics of the pipe that sends events about changes. */
function eventMetrics(table: Table, { heartbeatToken }: Settings) {
  const dimensionsMap = { PipeName: Stack.of(table).stackName };
  const of = (metricName: string) =>
    new Metric({ namespace: 'AWS/EventBridge/Pipes', metricName, dimensionsMap, ...total });
  // What the bus did not take, in whole or in part, is sent again.
  const failures = ['Failed', 'PartiallyFailed', 'Throttled', 'Timeout'].map((outcome) => of(`Execution${outcome}`));
  const invocations = of('Invocations');
  return {
    failed: sum('Events not sent', failures),
    /** 1 without any event, not even of the heartbeat's item, which changes each minute. */
    stopped:
      heartbeatToken === undefined
        ? undefined
        : math('No events', 'IF(FILL(invocations, 0) > 0, 0, 1)', { invocations }),
  };
}

/**
 * 1 in an hour in which users were refused and none was not, and 0 in one in which a user was let in. There is no data
 * while it is only a few, who may be no users at all.
 */
function refusedUserMetric(table: Table): IMetric {
  const of = (statistic: string) => reported(table, metricNames.refusedUsers, { period: hour, statistic });
  const usingMetrics = { all: of(Stats.MINIMUM), users: of(Stats.SAMPLE_COUNT) };
  return math('All users refused', 'IF(all == 0 OR users >= 4, all)', usingMetrics, hour);
}

/**
 * The share of the writes of callers that are refused because of their content, in hours with at least 50 writes. All series
 * have a value in each hour, because CloudWatch takes 0 for one that `IF` chooses and that is missing.
 */
function refusedWriteMetrics(table: Table) {
  const of = (statistic: string) => reported(table, metricNames.refusedWrites, { period: hour, statistic });
  const [writes, refused] = [of(Stats.SAMPLE_COUNT), of(Stats.AVERAGE)];
  const isEnough = 'FILL(writes, 0) >= 50';
  const share = math('Writes refused', `IF(${isEnough}, FILL(refused, 0), 0)`, { writes, refused }, hour);
  const isNewest = 'EPOCH(share) == MAX(EPOCH(share))';
  const isSameHour = `HOUR(share) == SUM(IF(${isNewest}, HOUR(share), 0))`;
  const isBefore = 'EPOCH(share) < MAX(EPOCH(share))';
  const compared = math(
    'Hours to compare with',
    `IF(${isBefore} AND ${isSameHour} AND ${isEnough}, 1, 0)`,
    { share, writes },
    hour,
  );
  // The small number only prevents a division by zero.
  const mean = 'SUM(compared * share) / (SUM(compared) + 0.001)';
  return {
    share,
    /** How much higher the newest share is than the mean of those at the same hour of the days that are looked at. */
    excess: math(
      'Writes refused beyond the days before',
      `IF((${isNewest}) * SUM(compared) > 0, share - ${mean}, 0)`,
      { share, compared },
      hour,
    ),
  };
}

/** A metric that the functions themselves report. */
export const reported = (table: Table, metricName: string, options: MetricOptions) =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { [dimensions.table]: table.tableName },
    ...options,
  });

/** Counts a period without the metric as a failure, because an alarm would otherwise wait until all are without it. */
const orMissing = (label: string, metric: Metric): IMetric =>
  math(label, 'FILL(reported, 1)', { reported: metric }, metric.period);

function functionMetrics(functions: CatalogFunctions) {
  const all = Object.values(functions);
  const throttles = all.map((handler) => handler.metricThrottles(total));
  const ofAccount = (metricName: string) => new Metric({ namespace: 'AWS/Lambda', metricName, ...highest });
  return {
    /** How much is in use of the AWS account's concurrent executions that no function has reserved for itself. */
    unreservedShare: math('Unreserved concurrency in use', 'unreserved / (SERVICE_QUOTA(all) - claimed + unreserved)', {
      all: ofAccount('ConcurrentExecutions'),
      claimed: ofAccount('ClaimedAccountConcurrency'),
      unreserved: ofAccount('UnreservedConcurrentExecutions'),
    }),
    invocations: all.map((handler) => handler.metricInvocations({ ...total, label: handler.node.id })),
    durations: all.map((handler) => handler.metricDuration({ ...p99, label: handler.node.id })),
    instances: all.map((handler) => handler.metric('ConcurrentExecutions', { ...highest, label: handler.node.id })),
    throttles: sum('Refused invocations', throttles),
  };
}

function requestMetrics(table: Table) {
  const of = (name: string, options = total) => reported(table, name, { ...options, label: name });
  const { databaseTime, retriesThrottled, retriesConflict, retriesUnknown, retriesMoved } = metricNames;
  const outages = [of(retriesThrottled), of(retriesUnknown)];
  return {
    databaseTime: of(databaseTime, p99),
    retried: [...outages, of(retriesConflict), of(retriesMoved)],
    /** Retries that DynamoDB caused, and not other writers. */
    outages: sum('Retries because of DynamoDB', outages),
  };
}

/** DynamoDB's metrics. DynamoDB reports the capacity of the index separately, so it is added to the table's. */
function tableMetrics(table: Table) {
  const of = (name: string, dimensionsMap: Readonly<Record<string, string>> = {}) =>
    table.metric(name, { ...total, dimensionsMap: { TableName: table.tableName, ...dimensionsMap } });
  const withIndex = (label: string, name: string) =>
    sum(label, [of(name), of(name, { GlobalSecondaryIndexName: nameIndex.name })]);
  return {
    readUnits: withIndex('Read units', 'ConsumedReadCapacityUnits'),
    writeUnits: withIndex('Write units', 'ConsumedWriteCapacityUnits'),
  };
}

/**
 * Sums metrics. They have no data while nothing happens, which counts as 0. An array function ignores a metric without
 * any data, where arithmetic would return no result. The ids include the label, because they must be unique within a
 * graph.
 */
function sum(label: string, metrics: readonly Metric[]): IMetric {
  const prefix = label.replaceAll(' ', '');
  const byId = Object.fromEntries(metrics.map((metric, index) => [`m${prefix}${index}`, metric]));
  const filled = Object.keys(byId).map((id) => `FILL(${id}, 0)`);
  return math(label, `SUM([${filled.join(', ')}])`, byId);
}

const math = (
  label: string,
  expression: string,
  usingMetrics: Record<string, IMetric>,
  of: Duration = period,
): IMetric => new MathExpression({ label, expression, usingMetrics, period: of });
