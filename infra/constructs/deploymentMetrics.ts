import { type IMetric, MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Alias } from 'aws-cdk-lib/aws-lambda';
import { Duration } from 'aws-cdk-lib/core';
import { dimensions, metricNames, metricNamespace } from '../../lib/runtime/metrics.ts';
import type { MonitoredResources } from './observedMetrics.ts';

/** The shortest period that these metrics have, so that a bad version is noticed in its first steps. */
const period = Duration.minutes(1);
const total = { period, statistic: Stats.SUM };

/** Metrics of an alias while its traffic shifts. */
interface AliasMetrics {
  readonly name: string;
  readonly alias: Alias;
  /** The share of invocations that failed, 0 to 1. */
  readonly errorRate: IMetric;
  /** In milliseconds. */
  readonly duration: IMetric;
}

/** The metrics that decide whether a deployment continues. */
export const deploymentMetrics = (observed: MonitoredResources) => ({
  serverErrorRate: observed.api.metricServerError({ period, statistic: Stats.AVERAGE }),
  functions: Object.values(observed.functions).flatMap(({ node: { id: name }, alias }): AliasMetrics[] =>
    alias === undefined
      ? []
      : [
          {
            name,
            alias,
            errorRate: name === 'authorizer' ? failedChecks(alias, observed) : failedInvocations(alias),
            duration: alias.metricDuration({ period, statistic: Stats.p(99) }),
          },
        ],
  ),
});

const failedInvocations = (alias: Alias): IMetric =>
  new MathExpression({
    expression: 'errors / invocations',
    usingMetrics: { errors: alias.metricErrors(total), invocations: alias.metricInvocations(total) },
    period,
  });

/** An authorizer has to throw to reject a token. Lambda counts that as an error, so rejected tokens are subtracted. */
const failedChecks = (alias: Alias, { table }: MonitoredResources): IMetric =>
  new MathExpression({
    expression: '(errors - refused) / invocations',
    usingMetrics: {
      errors: alias.metricErrors(total),
      refused: new Metric({
        namespace: metricNamespace,
        metricName: metricNames.authorizerRefused,
        dimensionsMap: { [dimensions.table]: table.tableName, [dimensions.operation]: 'authorizer' },
        ...total,
      }),
      invocations: alias.metricInvocations(total),
    },
    period,
  });
