import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type IFilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { metricNamespace } from '../../lib/runtime/metrics.ts';

/** What API Gateway refuses by itself and has no metric of its own for: counted in its access log. */
export class AccessLogMetrics extends Construct {
  /** Requests beyond the stage's limits, answered 429. */
  readonly throttled: Metric;
  /** Requests without a valid token, answered 401. */
  readonly unauthorized: Metric;

  constructor(scope: Construct, id: string, logGroup: ILogGroup) {
    super(scope, id);
    const count = (metricName: string, filterPattern: IFilterPattern) =>
      new MetricFilter(this, metricName, {
        logGroup,
        filterPattern,
        // A metric with a default value has no dimensions, so the namespace tells environments apart.
        metricNamespace: `${metricNamespace}/${Stack.of(this).stackName}`,
        metricName,
        metricValue: '1',
        defaultValue: 0,
      }).metric();
    this.throttled = count('Throttled', FilterPattern.stringValue('$.error', '=', 'THROTTLED'));
    this.unauthorized = count('Unauthorized', FilterPattern.stringValue('$.status', '=', '401'));
  }
}
