import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { metricNames } from '../../lib/runtime/metrics.ts';
import type { CatalogFunctions } from './catalogFunction.ts';
import type { ObservedMetrics } from './observedMetrics.ts';

interface DashboardProps {
  readonly metrics: ObservedMetrics;
  readonly functions: CatalogFunctions;
}

/** The state of an environment on one page, from what callers notice at the top down to the table. */
export class CatalogDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { metrics, functions: all }: DashboardProps) {
    super(scope, id);
    const { api, backups, firewall, functions, requests, table } = metrics;
    this.addWidgets(
      ...graph('Requests', api.requests, api.clientErrors, api.serverErrors),
      ...graph('Latency (ms)', api.medianLatency, api.p99Latency),
      ...graph('Turned away', api.throttled, api.unauthorized, firewall?.blocked, functions.throttles),
    );
    this.addWidgets(requestTable(all));
    this.addWidgets(
      ...graph('Duration, p99 (ms)', ...functions.durations),
      ...graph('Time in DynamoDB, p99 (ms)', requests.databaseTime),
      ...graph('DynamoDB retries', ...requests.retried),
    );
    this.addWidgets(
      ...graph('Invocations', ...functions.invocations),
      ...graph('Instances at once', ...functions.instances),
      ...graph('Capacity of the table', table.readUnits, table.writeUnits),
    );
    this.addWidgets(
      ...graph('Rows of batches with 500, hourly', metrics.failedRows),
      ...graph('Heartbeat', metrics.heartbeatFailures),
      ...graph('Users refused', metrics.refusedUsers),
      ...graph('Notifications lost', metrics.lostNotifications),
      ...graph('Firewall', firewall?.allowed, firewall?.blocked, firewall?.throttled),
      ...graph('Verification', metrics.verificationFindings),
      ...graph('Changes', metrics.recordingLag, metrics.unreadableImages),
      ...graph('Backups', backups?.copies),
    );
  }
}

/** A graph of the metrics that the environment has; none without any. */
function graph(title: string, ...metrics: readonly (IMetric | undefined)[]): GraphWidget[] {
  const left = metrics.filter((metric) => metric !== undefined);
  return left.length === 0 ? [] : [new GraphWidget({ title, left, width: 8 })];
}

/** What became of the requests, counted in the logs when somebody looks, which costs less than metrics for it would. */
const requestTable = (functions: CatalogFunctions): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Requests by operation and outcome, p99 in ms',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: Object.values(functions).map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      `filter message = 'request'`,
      `stats count(*) as requests, pct(duration, 99) as p99, pct(${metricNames.databaseTime}, 99) as inDynamoDB, avg(roundTrips) as perRequest by operation, status, code`,
      'sort requests desc',
    ],
    width: 24,
  });
