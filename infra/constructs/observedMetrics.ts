import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Duration } from 'aws-cdk-lib/core';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import type { CatalogFunction, CatalogFunctions } from './catalogFunction.ts';

/** What of a stack is watched. */
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

/** What callers see of the API. */
export const apiMetrics = ({ api }: Observed) => ({
  requests: api.metricCount({ ...total, label: 'Requests' }),
  clientErrors: api.metricClientError({ ...total, label: '4xx' }),
  serverErrors: api.metricServerError({ ...total, label: '5xx' }),
  serverErrorRate: api.metricServerError({ ...average, label: '5xx per request' }),
  medianLatency: api.metricLatency({ ...p50, label: 'p50' }),
  p99Latency: api.metricLatency({ ...p99, label: 'p99' }),
});

/** What Lambda tells of each function. */
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

/** What the functions report of their work, in the metrics of their own. */
export function workMetrics({ functions, table }: Observed) {
  const { createItem, updateItem } = functions;
  const reported = (handler: CatalogFunction, metricName: string, options = total): Metric =>
    new Metric({
      namespace: metricNamespace,
      metricName,
      dimensionsMap: { [dimensions.table]: table.tableName, [dimensions.operation]: handler.node.id },
      ...options,
    });
  const byBoth = (name: string) => sum(name, [reported(createItem, name), reported(updateItem, name)]);
  const { created, replayed, updated, roundTrips, conflicts, unavailable, failed, ...rest } = metricNames;
  return {
    written: [reported(createItem, created), reported(createItem, replayed), reported(updateItem, updated)],
    refused: [conflicts, unavailable, failed].map(byBoth),
    refusedByCode: byCode(table),
    retried: [rest.retriesThrottled, rest.retriesConflict, rest.retriesUnknown, rest.retriesMoved].map(byBoth),
    roundTrips: [createItem, updateItem].map((handler) =>
      reported(handler, roundTrips, average).with({ label: handler.node.id }),
    ),
    outOfTries: byBoth(unavailable),
    // Not Lambda's errors: to the authorizer, refusing a token is one.
    authorizerFailures: reported(functions.authorizer, rest.authorizerFailed).with({ label: 'Tokens not checked' }),
  };
}

/** A line for each code that either operation has refused with. */
const byCode = ({ tableName }: Table): IMetric => {
  const names = [metricNamespace, dimensions.table, dimensions.operation, dimensions.code];
  const search = `{${names}} MetricName="${metricNames.refused}" "${dimensions.table}"="${tableName}"`;
  return new MathExpression({ expression: `SEARCH('${search}', 'Sum', ${period.toSeconds()})`, label: '', period });
};

/** What DynamoDB tells of the table. */
export const tableMetrics = ({ table }: Observed) => ({
  readUnits: table.metricConsumedReadCapacityUnits({ ...total, label: 'Read units' }),
  writeUnits: table.metricConsumedWriteCapacityUnits({ ...total, label: 'Write units' }),
  throttles: sum('Throttled by the table', [
    table.metric('ReadThrottleEvents', total),
    table.metric('WriteThrottleEvents', total),
  ]),
});

/** The sum of metrics, of which those without data count as 0. Ids must differ in a graph with several sums. */
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
