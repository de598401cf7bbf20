import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import { Duration, Stack } from 'aws-cdk-lib/core';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import { nameIndex } from '../../lib/store/records/keys.ts';
import type { Settings } from '../environments.ts';
import type { CatalogApi } from './catalogApi.ts';
import type { CatalogFunction, CatalogFunctions } from './catalogFunction.ts';
import { rateRules } from './firewall.ts';
import { vaultOf } from './tableBackup.ts';

type FirewallSettings = NonNullable<Settings['firewall']>;

/** The parts of the stack that the alarms and the dashboard watch. */
export interface MonitoredResources {
  readonly api: CatalogApi;
  readonly table: Table;
  readonly functions: CatalogFunctions;
}

const period = Duration.minutes(5);
const total = { period, statistic: Stats.SUM };
const average = { period, statistic: Stats.AVERAGE };
const highest = { period, statistic: Stats.MAXIMUM };
const p50 = { period, statistic: Stats.p(50) };
const p99 = { period, statistic: Stats.p(99) };

/** API Gateway's metrics: what callers notice. */
export const apiMetrics = ({ api }: MonitoredResources) => ({
  requests: api.metricCount({ ...total, label: 'Requests' }),
  clientErrors: api.metricClientError({ ...total, label: '4xx' }),
  serverErrors: api.metricServerError({ ...total, label: '5xx' }),
  hourlyServerErrors: api.metricServerError({ ...total, period: Duration.hours(1) }),
  serverErrorRate: api.metricServerError({ ...average, label: '5xx per request' }),
  medianLatency: api.metricLatency({ ...p50, label: 'p50' }),
  p99Latency: api.metricLatency({ ...p99, label: 'p99' }),
  throttled: api.accessLogMetrics.throttled.with({ ...total, label: '429' }),
  unauthorized: api.accessLogMetrics.unauthorized.with({ ...total, label: '401' }),
  /** So that a few tokens that just expired do not count as a surge. */
  unauthorizedRate: unauthorizedRate(api, 100),
  /** The heartbeat alone sends more. */
  unauthorizedShare: unauthorizedRate(api, 20),
});

/** @param least number of requests above which the rate is computed */
const unauthorizedRate = (api: CatalogApi, least: number): IMetric =>
  new MathExpression({
    expression: `IF(requests > ${least}, unauthorized / requests, 0)`,
    usingMetrics: {
      requests: api.metricCount(total),
      unauthorized: api.accessLogMetrics.unauthorized.with(total),
    },
    period,
    label: '401 per request',
  });

/** The firewall's metrics, identified by the name of its web ACL. */
export function firewallMetrics(
  { api }: MonitoredResources,
  { managedRules = [] }: Pick<FirewallSettings, 'managedRules'> = {},
) {
  const { stackName, region } = Stack.of(api);
  const of = (metricName: string, Rule: string) =>
    new Metric({
      namespace: 'AWS/WAFV2',
      metricName,
      dimensionsMap: { WebACL: stackName, Region: region, Rule },
      ...total,
    });
  const allowed = of('AllowedRequests', 'ALL').with({ label: 'Allowed by the firewall' });
  const blocked = of('BlockedRequests', 'ALL').with({ label: 'Blocked by the firewall' });
  const byManagedRules = managedRules.map((name) => of('BlockedRequests', name));
  const requests = 'SUM([FILL(allowed, 0), FILL(blocked, 0)])';
  return {
    allowed,
    blocked,
    throttled: sum(
      'Blocked by rate limits',
      Object.values(rateRules).map((rule) => of('BlockedRequests', rule)),
    ),
    /** Only computed above 100 requests, so that a few scanners do not count as a surge. */
    refusedRate: new MathExpression({
      expression: `IF(${requests} > 100, SUM([${byManagedRules.map((_, index) => `FILL(rule${index}, 0)`)}]) / ${requests}, 0)`,
      usingMetrics: {
        allowed,
        blocked,
        ...Object.fromEntries(byManagedRules.map((metric, index) => [`rule${index}`, metric])),
      },
      period,
      label: 'Blocked by managed rules per request',
    }),
  };
}

/** The metric of the backups. AWS Backup reports it per destination vault, and only if there is a copy. */
export const backupMetrics = (backup: NonNullable<Settings['backup']>) => {
  const copies = new Metric({
    namespace: 'AWS/Backup',
    metricName: 'NumberOfCopyJobsCompleted',
    dimensionsMap: { BackupVaultName: vaultOf(backup).name },
    period: Duration.days(1),
    statistic: Stats.SUM,
    label: 'Backups copied',
  });
  return {
    copies,
    missed: new MathExpression({
      expression: 'IF(FILL(copies, 0) > 0, 0, 1)',
      usingMetrics: { copies },
      period: Duration.days(1),
      label: 'Days without a backup',
    }),
  };
};

/** A metric that the functions themselves report. */
const reported = (
  { table }: MonitoredResources,
  metricName: string,
  options: { period: Duration; statistic: string; label?: string },
) =>
  new Metric({
    namespace: metricNamespace,
    metricName,
    dimensionsMap: { [dimensions.table]: table.tableName },
    ...options,
  });

/**
 * Failed checks of the heartbeat. Uses the best heartbeat of a period, so that a single lost request does not count as
 * a failure. A period without any heartbeat counts as one: an alarm would otherwise wait for three of them.
 */
export const heartbeatFailures = (observed: MonitoredResources): IMetric =>
  new MathExpression({
    expression: 'FILL(failures, 1)',
    usingMetrics: {
      failures: reported(observed, metricNames.heartbeatFailures, { period, statistic: Stats.MINIMUM }),
    },
    period,
    label: 'Failed checks of the heartbeat',
  });

/** What the daily verification found. A day without one counts as a finding. */
export const verificationFindings = (observed: MonitoredResources): IMetric =>
  new MathExpression({
    expression: 'FILL(findings, 1)',
    usingMetrics: {
      findings: reported(observed, metricNames.verificationFindings, { ...highest, period: Duration.days(1) }),
    },
    period: Duration.days(1),
    label: 'Findings of the verification',
  });

/** The notifications that the topics of alarms could not deliver. */
export const lostNotifications = (topics: readonly Topic[]): IMetric =>
  sum(
    'Notifications lost',
    topics.map((topic) => topic.metricNumberOfNotificationsFailed(total)),
  );

/** Lambda's metrics. */
export function functionMetrics({ functions }: MonitoredResources) {
  const all = Object.values(functions);
  const named = (handler: CatalogFunction) => ({ label: handler.node.id });
  return {
    invocations: all.map((handler) => handler.metricInvocations({ ...total, ...named(handler) })),
    durations: all.map((handler) => handler.metricDuration({ ...p99, ...named(handler) })),
    instances: all.map((handler) => handler.metric('ConcurrentExecutions', { ...highest, ...named(handler) })),
    throttles: sum(
      'Refused invocations',
      all.map((handler) => handler.metricThrottles(total)),
    ),
  };
}

/** The metrics of the requests that the functions handle, of all functions together. */
export function requestMetrics(observed: MonitoredResources) {
  const of = (name: string, options = total) => reported(observed, name, { ...options, label: name });
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
export function tableMetrics({ table }: MonitoredResources) {
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
  const ids = metrics.map((_, index) => `m${prefix}${index}`);
  return new MathExpression({
    expression: `SUM([${ids.map((id) => `FILL(${id}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [ids[index], metric])),
    period,
    label,
  });
}
