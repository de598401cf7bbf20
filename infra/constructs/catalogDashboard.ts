import { Dashboard, GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { apiMetrics, functionMetrics, type Observed, requestMetrics, tableMetrics } from './observedMetrics.ts';

/** The state of an environment on one page, from what callers notice down to the table. */
export class CatalogDashboard extends Dashboard {
  constructor(scope: Construct, id: string, observed: Observed) {
    super(scope, id);
    const api = apiMetrics(observed);
    const functions = functionMetrics(observed);
    const requests = requestMetrics(observed);
    const table = tableMetrics(observed);
    this.addWidgets(
      graph('Requests', [api.requests, api.clientErrors, api.serverErrors]),
      graph('Latency (ms)', [api.medianLatency, api.p99Latency]),
      graph('Turned away', [functions.throttles, requests.authorizerFailures, table.throttles]),
    );
    this.addWidgets(
      graph('Items written', requests.written),
      graph('Writes refused', requests.refused),
      graph('Messages sent again', requests.retried),
    );
    this.addWidgets(
      graph('Invocations', functions.invocations),
      graph('Duration, p99 (ms)', functions.durations),
      graph('Instances at once', functions.instances),
    );
    this.addWidgets(
      graph('Capacity of the table', [table.readUnits, table.writeUnits]),
      graph('Messages to the table for one request', requests.roundTrips),
      graph('Refusals by code', [requests.refusedByCode]),
    );
  }
}

const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: 8 });
