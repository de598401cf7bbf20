import { Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import type { Settings } from '../environments.ts';
import {
  apiMetrics,
  backupMetrics,
  firewallMetrics,
  functionMetrics,
  heartbeatMetrics,
  type MonitoredResources,
  notificationMetrics,
  requestMetrics,
  tableMetrics,
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
    const lostNotifications = notificationMetrics(ownTopics).failed;
    this.addWidgets(
      graph('Requests', [api.requests, api.clientErrors, api.serverErrors]),
      graph('Latency (ms)', [api.medianLatency, api.p99Latency]),
      graph('Turned away', [api.throttled, api.unauthorized, firewall.blocked, functions.throttles]),
    );
    this.addWidgets(
      graph('Requests fulfilled', requests.done),
      graph('Requests refused', requests.refused),
      graph('Refusals by code', [requests.refusedByCode]),
    );
    this.addWidgets(
      graph('Duration, p99 (ms)', functions.durations),
      graph('Time in DynamoDB, p99 (ms)', [...requests.databaseTimes, requests.databaseTime]),
      graph('DynamoDB requests per API request', requests.roundTrips),
    );
    this.addWidgets(
      graph('Capacity of the table', [table.readUnits, table.writeUnits]),
      graph('DynamoDB retries', requests.retried),
      graph('Failures', [
        functions.errors,
        requests.authorizerFailures,
        table.throttles,
        table.systemErrors,
        lostNotifications,
      ]),
    );
    this.addWidgets(
      graph('Invocations', functions.invocations),
      graph('Instances at once', functions.instances),
      graph('Heartbeat', [heartbeatMetrics(observed).failures]),
    );
    this.addWidgets(
      ...(settings.firewall === undefined
        ? []
        : [graph('Firewall', [firewall.allowed, firewall.blocked, firewall.throttled])]),
      ...(settings.backup === undefined ? [] : [graph('Backups', [backupMetrics(settings.backup).copies])]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 8 });
