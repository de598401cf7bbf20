import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { metricNamespace } from '../../lib/runtime/metrics.ts';

/**
 * Counts the requests that API Gateway rejects itself. It has no metric for them, so they are counted in its access
 * log.
 */
export class AccessLogMetrics extends Construct {
  /** Requests beyond the stage's limits (429). */
  readonly throttled: Metric;
  /** Requests without a valid token (401). */
  readonly unauthorized: Metric;

  constructor(scope: Construct, id: string, logGroup: ILogGroup) {
    super(scope, id);
    const count = (metricName: string, filterPattern: IFilterPattern) =>
      new MetricFilter(this, metricName, {
        logGroup,
        filterPattern,
        // A metric with a default value cannot have dimensions, so the namespace distinguishes the environments.
        metricNamespace: `${metricNamespace}/${Stack.of(this).stackName}`,
        metricName,
        metricValue: '1',
        defaultValue: 0,
      }).metric();
    this.throttled = count('Throttled', FilterPattern.stringValue('$.error', '=', 'THROTTLED'));
    this.unauthorized = count('Unauthorized', FilterPattern.stringValue('$.status', '=', '401'));
  }
}
