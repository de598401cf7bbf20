import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { ILogGroup } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { heartbeatAccount } from '../../lib/access/accountId.ts';
import { metricNames } from '../../lib/runtime/metrics.ts';
import type { CatalogAlarms } from './catalogAlarms.ts';
import type { CatalogFunctions } from './catalogFunction.ts';

/** The state of an environment on one page, from its alarms and what callers notice at the top down to the table. */
export class CatalogDashboard extends Dashboard {
  constructor(
    scope: Construct,
    id: string,
    { alarms, metrics }: CatalogAlarms,
    all: CatalogFunctions,
    accessLogs: ILogGroup,
  ) {
    // Alarms link to it by this name.
    super(scope, id, { dashboardName: Stack.of(scope).stackName });
    const { api, backups, firewall, functions, requests, table } = metrics;
    /** A graph of the metrics that the environment has, with the thresholds of their alarms; none without any. */
    const graph = (title: string, ...shown: readonly (IMetric | undefined)[]): GraphWidget[] => {
      const left = shown.filter((metric) => metric !== undefined);
      const leftAnnotations = alarms.filter(({ metric }) => left.includes(metric)).map((alarm) => alarm.toAnnotation());
      return left.length === 0 ? [] : [new GraphWidget({ title, left, leftAnnotations, width: 8 })];
    };
    this.addWidgets(new AlarmStatusWidget({ title: 'Alarms', alarms, width: 24, height: 4 }));
    this.addWidgets(
      ...graph('Requests', api.requests, api.clientErrors, api.serverErrors),
      ...graph('Latency (ms)', api.medianLatency, api.p99Latency),
      ...graph('Turned away', api.throttled, api.unauthorized, firewall?.blocked, functions.throttles),
    );
    this.addWidgets(
      ...graph('5xx beyond 1 in 100', api.serverErrorExcess),
      ...graph('401 per request', api.unauthorizedRate),
      savedItems(all),
    );
    this.addWidgets(requestTable(all), accountTable(accessLogs));
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
      ...graph('Writes refused, hourly', metrics.refusedWrites.share),
      ...graph('Heartbeat', metrics.heartbeat?.failures, metrics.heartbeat?.expiringToken),
      ...graph('Users refused', metrics.refusedUsers, metrics.unreadableTokens, api.unknownKeys),
      ...graph('Unreserved concurrency in use', functions.unreservedShare),
      ...graph('Notifications lost', metrics.lostNotifications),
      ...graph('Firewall', firewall?.allowed, firewall?.blocked, firewall?.throttled),
      ...graph('Verification', metrics.verificationFindings),
      ...graph('Changes', metrics.recordingLag, metrics.unreadableImages, metrics.events?.failed),
      ...graph('Backups', backups?.copies),
    );
  }
}

/** The items that callers have saved, counted in the logs as below. */
const savedItems = ({ createItem, updateItem, writeItems }: CatalogFunctions): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Items saved a day',
    view: LogQueryVisualizationType.BAR,
    logGroupNames: [createItem, updateItem, writeItems].map(({ logGroup }) => logGroup.logGroupName),
    queryLines: [
      `filter message = 'request' and account != '${heartbeatAccount}' and status < 300 and @message not like /"(isDryRun|replayed)":true/`,
      "fields coalesce(rows.created, operation = 'createItem') as created, coalesce(rows.updated, operation = 'updateItem') as updated",
      'stats sum(created) as itemsCreated, sum(updated) as itemsUpdated by bin(1d)',
    ],
    width: 8,
  });

/** Who uses the service how much. A metric for each account would cost 0.30 USD a month. */
const accountTable = ({ logGroupName }: ILogGroup): LogQueryWidget =>
  new LogQueryWidget({
    title: 'Accounts by requests',
    view: LogQueryVisualizationType.TABLE,
    logGroupNames: [logGroupName],
    queryLines: [
      `stats count(*) as requests, sum(status = '429') as refused, sum(integrationLatency) / 1000 as seconds, sum(responseLength) / 1048576 as megabytes by account`,
      'sort requests desc',
      'limit 50',
    ],
    width: 24,
  });

/** Requests by outcome, counted in the logs when the dashboard is opened, which costs less than metrics. */
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
