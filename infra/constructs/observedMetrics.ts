import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Duration } from 'aws-cdk-lib/core';
import { type Operation, routes } from '../../lib/http/routes.ts';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import type { CatalogFunction, CatalogFunctions } from './catalogFunction.ts';

/** The parts of the stack that alarms and dashboard observe. */
export interface Observed {
  readonly api: RestApi;
  readonly table: Table;
  readonly functions: CatalogFunctions;
}

const period = Duration.minutes(5);
const total = { period, statistic: Stats.SUM };
const average = { period, statistic: Stats.AVERAGE };
const highest = { period, statistic: Stats.MAXIMUM };
const p50 = { period, statistic: Stats.p(50) };
const p99 = { period, statistic: Stats.p(99) };

const operations = Object.keys(routes) as Operation[];

/** The metrics by which an operation counts what it has written. */
const writeMetrics: Record<Operation, readonly string[]> = {
  createItem: [metricNames.created, metricNames.replayed],
  updateItem: [metricNames.updated],
};

/** API Gateway's metrics: what callers notice. */
export const apiMetrics = ({ api }: Observed) => ({
  requests: api.metricCount({ ...total, label: 'Requests' }),
  clientErrors: api.metricClientError({ ...total, label: '4xx' }),
  serverErrors: api.metricServerError({ ...total, label: '5xx' }),
  serverErrorRate: api.metricServerError({ ...average, label: '5xx per request' }),
  medianLatency: api.metricLatency({ ...p50, label: 'p50' }),
  p99Latency: api.metricLatency({ ...p99, label: 'p99' }),
});

/** Lambda's metrics. */
export function functionMetrics({ functions }: Observed) {
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

/** The functions' own metrics, about the requests that they handle. */
export function requestMetrics({ functions, table }: Observed) {
  const reported = (operation: keyof CatalogFunctions, metricName: string, options = total): Metric =>
    new Metric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { [dimensions.table]: table.tableName, [dimensions.operation]: functions[operation].node.id },
      ...options,
    });
  const ofAll = (name: string) =>
    sum(
      name,
      operations.map((operation) => reported(operation, name)),
    );
  const { conflicts, unavailable, failed, roundTrips, authorizerFailed } = metricNames;
  const { retriesThrottled, retriesConflict, retriesUnknown, retriesMoved } = metricNames;
  return {
    written: operations.flatMap((operation) => writeMetrics[operation].map((name) => reported(operation, name))),
    refused: [conflicts, unavailable, failed].map(ofAll),
    refusedByCode: byCode(table),
    retried: [retriesThrottled, retriesConflict, retriesUnknown, retriesMoved].map(ofAll),
    roundTrips: operations.map((operation) => reported(operation, roundTrips, average).with({ label: operation })),
    unavailable: ofAll(unavailable),
    // Not Lambda's error metric, which also counts refused tokens: refusing one is an error to API Gateway.
    authorizerFailures: reported('authorizer', authorizerFailed).with({ label: 'Tokens not checked' }),
  };
}

/** A line for each error code, of all operations. */
const byCode = ({ tableName }: Table): IMetric => {
  const names = [metricNamespace, dimensions.table, dimensions.operation, dimensions.code];
  const search = `{${names}} MetricName="${metricNames.refused}" "${dimensions.table}"="${tableName}"`;
  return new MathExpression({ expression: `SEARCH('${search}', 'Sum', ${period.toSeconds()})`, label: '', period });
};

/** DynamoDB's metrics. */
export const tableMetrics = ({ table }: Observed) => ({
  readUnits: table.metricConsumedReadCapacityUnits({ ...total, label: 'Read units' }),
  writeUnits: table.metricConsumedWriteCapacityUnits({ ...total, label: 'Write units' }),
  throttles: sum('Throttled by the table', [
    table.metric('ReadThrottleEvents', total),
    table.metric('WriteThrottleEvents', total),
  ]),
});

/** The sum of metrics; one without data counts as 0. The ids include the label, because they must be unique in a graph. */
function sum(label: string, metrics: readonly Metric[]): IMetric {
  const prefix = label.replaceAll(' ', '');
  const ids = metrics.map((_, index) => `m${prefix}${index}`);
  return new MathExpression({
    expression: ids.map((id) => `FILL(${id}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(metrics.map((metric, index) => [ids[index], metric])),
    period,
    label,
  });
}
