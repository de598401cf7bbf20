import {
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { metricNames } from '../../lib/runtime/metrics.ts';
import type { Settings } from '../environments.ts';
import {
  apiMetrics,
  backupMetrics,
  firewallMetrics,
  functionMetrics,
  heartbeatFailures,
  lostNotifications,
  type MonitoredResources,
  requestMetrics,
  tableMetrics,
  verificationFindings,
} from './observedMetrics.ts';

interface DashboardProps extends MonitoredResources {
  readonly settings: Settings;
  /** The topics of this stack that alarms notify. */
  readonly ownTopics: readonly Topic[];
}

/** The state of an environment on one page, from what callers notice at the top down to the table. */
export class CatalogDashboard extends Dashboard {
  constructor(scope: Construct, id: string, { settings, ownTopics, ...observed }: DashboardProps) {
    super(scope, id);
    const api = apiMetrics(observed);
    const functions = functionMetrics(observed);
    const requests = requestMetrics(observed);
    const table = tableMetrics(observed);
    const firewall = firewallMetrics(observed);
    this.addWidgets(
      graph('Requests', [api.requests, api.clientErrors, api.serverErrors]),
      graph('Latency (ms)', [api.medianLatency, api.p99Latency]),
      graph('Turned away', [api.throttled, api.unauthorized, firewall.blocked, functions.throttles]),
    );
    this.addWidgets(requestTable(observed));
    this.addWidgets(
      graph('Duration, p99 (ms)', functions.durations),
      graph('Time in DynamoDB, p99 (ms)', [requests.databaseTime]),
      graph('DynamoDB retries', requests.retried),
    );
    this.addWidgets(
      graph('Invocations', functions.invocations),
      graph('Instances at once', functions.instances),
      graph('Capacity of the table', [table.readUnits, table.writeUnits]),
    );
    this.addWidgets(
      ...(settings.heartbeat ? [graph('Heartbeat', [heartbeatFailures(observed)])] : []),
      ...(ownTopics.length === 0 ? [] : [graph('Notifications lost', [lostNotifications(ownTopics)])]),
      ...(settings.firewall === undefined
        ? []
        : [graph('Firewall', [firewall.allowed, firewall.blocked, firewall.throttled])]),
      ...(settings.verification ? [graph('Verification', [verificationFindings(observed)])] : []),
      ...(settings.backup === undefined ? [] : [graph('Backups', [backupMetrics(settings.backup).copies])]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 8 });

/** What became of the requests, counted in the logs when somebody looks, which costs less than metrics for it would. */
const requestTable = ({ functions }: MonitoredResources): LogQueryWidget =>
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
