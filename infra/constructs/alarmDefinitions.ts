import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import { apiMetrics, functionMetrics, type Observed, requestMetrics, tableMetrics } from './observedMetrics.ts';

/** Who is hurt when an alarm goes off, and what to do. An alarm's description and the documentation say the same words. */
export const alarmAdvice = {
  serverErrors: {
    hurt: 'More than 1 in 100 requests fail and callers cannot save their items',
    action: 'find the errors in the logs of the functions, and roll back if they began with a deployment',
  },
  slowResponses: {
    hurt: 'The slowest 1 in 100 requests take over 2 seconds and people wait at their forms',
    action: 'see in the traces whether the functions or the table are slow',
  },
  functionThrottles: {
    hurt: 'Lambda refused to run a function and callers got errors',
    action: 'raise the reserved concurrency of the environment or the limit of the account',
  },
  outOfTries: {
    hurt: 'Callers got 503 because their writes could not be completed or confirmed in time',
    action:
      'see on the dashboard why requests to DynamoDB were retried; for conflict and moved, slow down whoever writes the same item, sku or pn; for throttled and unknown, check DynamoDB and the network to it',
  },
  authorizerFailures: {
    hurt: 'The authorizer could not check tokens and callers with valid ones were turned away',
    action:
      'find the error in its log, and check that the table can be read and the keys of the identity provider can be fetched (an authorizer that does not start at all only raises serverErrors)',
  },
  tableThrottles: {
    hurt: 'DynamoDB throttles requests and callers of busy accounts wait or get 503',
    action: 'find the busy key with contributor insights, and slow down whoever writes it',
  },
} as const satisfies Record<string, { readonly hurt: string; readonly action: string }>;

export type AlarmName = keyof typeof alarmAdvice;

interface AlarmCondition {
  readonly metric: IMetric;
  /** The threshold, in the metric's unit. */
  readonly above: number;
  /** How many of the last three periods of five minutes must be above it. */
  readonly periods: 1 | 2 | 3;
}

/** When each alarm goes off. */
export function alarmConditions(observed: Observed): Record<AlarmName, AlarmCondition> {
  const api = apiMetrics(observed);
  const requests = requestMetrics(observed);
  return {
    serverErrors: { metric: api.serverErrorRate, above: 0.01, periods: 2 },
    slowResponses: { metric: api.p99Latency, above: 2000, periods: 3 },
    functionThrottles: { metric: functionMetrics(observed).throttles, above: 0, periods: 1 },
    outOfTries: { metric: requests.unavailable, above: 0, periods: 2 },
    authorizerFailures: { metric: requests.authorizerFailures, above: 0, periods: 1 },
    tableThrottles: { metric: tableMetrics(observed).throttles, above: 0, periods: 2 },
  };
}
