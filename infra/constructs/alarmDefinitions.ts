import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { Topic } from 'aws-cdk-lib/aws-sns';
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

interface AlarmAdvice {
  /** A page wakes somebody; a ticket waits for the next working day. */
  readonly severity: 'page' | 'ticket';
  readonly impact: string;
  readonly action: string;
}

/**
 * Who is affected when an alarm goes off, and what to do. This is the alarm's description, which its notifications
 * contain.
 */
export const alarmAdvice = {
  serverErrors: {
    severity: 'page',
    impact: 'More than 1 in 100 requests fail and callers cannot see or save their items',
    action: 'find the errors in the logs of the functions, and roll back if they began with a deployment',
  },
  noHeartbeat: {
    severity: 'page',
    impact:
      'For five minutes the API has not answered the heartbeat as it should and callers may be unable to reach it at all',
    action:
      'run npm run admin -- smoke for the environment to see what fails; then check the domain, its certificate, the firewall and the authorizer, and the log of the heartbeat; if the heartbeat was only just added, wait for its first minutes',
  },
  authorizerFailures: {
    severity: 'page',
    impact: 'The authorizer could not check tokens and callers with valid tokens got 500',
    action:
      'find the error in its log, and check that the table can be read and the keys of the identity provider can be fetched (an authorizer that does not start at all only raises serverErrors)',
  },
  lostNotifications: {
    severity: 'page',
    impact: "An alarm's notification was not delivered and nobody hears that callers are affected",
    action: "check the subscriptions of the alarms' topics",
  },
  functionErrors: {
    severity: 'ticket',
    impact: 'A function crashed, or ran out of time or memory, and its caller got 5xx',
    action: 'find the reason with the saved query errors, and roll back if it began with a deployment',
  },
  failedRequests: {
    severity: 'ticket',
    impact: 'A request failed because of a defect or an outage and its caller got 500',
    action: 'find its line with the stack trace with the saved query errors, and fix the defect',
  },
  slowResponses: {
    severity: 'ticket',
    impact: 'The slowest 1 in 100 requests take over 2 seconds and people wait at their forms',
    action:
      'see on the dashboard whether the time in DynamoDB has risen with the duration of the functions (then the table is slow) or not (then the functions are slow)',
  },
  outOfAttempts: {
    severity: 'ticket',
    impact: 'Callers got 503 because their requests could not be completed or confirmed in time',
    action:
      'see on the dashboard why requests to DynamoDB were retried; for conflict and moved, slow down whoever writes the same item, sku or pn; for throttled and unknown, check DynamoDB and the network to it',
  },
  stageThrottles: {
    severity: 'ticket',
    impact: "The stage's limits refused requests and callers got 429",
    action:
      'find in the access log who sends most requests, and either slow them down or raise the throttling in the settings, together with the reserved concurrency',
  },
  firewallThrottles: {
    severity: 'ticket',
    impact: 'The firewall blocked requests beyond its rate limits and their callers got 429',
    action:
      'see in the log of the firewall whether one token or one address sends most of them; if it belongs to a known caller, slow the caller down or raise the rate in the settings',
  },
  firewallRefusals: {
    severity: 'ticket',
    impact: 'The managed rules of the firewall block more than 1 in 20 requests and real callers may be getting 403',
    action:
      'see in the log of the firewall which rule blocks whom; if it blocks real callers, make the rule only count in the construct of the firewall, or remove its group from the settings',
  },
  refusedTokens: {
    severity: 'ticket',
    impact: 'More than 1 in 5 requests have no valid token and their callers got 401',
    action:
      'see in the access log whether a single address is guessing tokens; if not, a token has expired or was revoked, or the settings of the identity provider have changed',
  },
  functionThrottles: {
    severity: 'ticket',
    impact: 'Lambda refused to run a function and callers got errors',
    action: 'raise the reserved concurrency of the environment or the limit of the account',
  },
  busyFunctions: {
    severity: 'ticket',
    impact: 'A function uses over 80 % of its reserved concurrency and callers will get errors when it runs out',
    action: 'see on the dashboard whether traffic or duration has risen, and raise the reserved concurrency',
  },
  tableThrottles: {
    severity: 'ticket',
    impact: 'DynamoDB throttles requests and callers of busy accounts have to wait or get 503',
    action: 'find the busy key with CloudWatch Contributor Insights, and slow down whoever writes it',
  },
  tableErrors: {
    severity: 'ticket',
    impact: 'DynamoDB answers with server errors and callers wait for retries or get 503',
    action: 'check the AWS Health Dashboard for the region, and wait or open a support case',
  },
  slowTable: {
    severity: 'ticket',
    impact: 'The slowest 1 in 100 requests wait over a second for DynamoDB and people wait at their forms',
    action: 'see on the dashboard whether retries have risen too, and check the AWS Health Dashboard for the region',
  },
  noBackup: {
    severity: 'ticket',
    impact:
      'No backup has reached the vault in the other account for a day and what callers have saved since then exists only in this account',
    action:
      'find the failed job and its reason in AWS Backup; check the lock and the policy of the vault, and that both accounts are in the same organisation; if the backup was only just added, wait for its first two days',
  },
} as const satisfies Record<string, AlarmAdvice>;

export type AlarmName = keyof typeof alarmAdvice;

interface AlarmCondition {
  /** An hourly metric keeps an alarm on for at least three hours, so that a rare failure notifies a few times a day. */
  readonly metric: IMetric;
  /** The threshold, in the metric's unit. */
  readonly above: number;
  /** How many of the metric's last three periods must be above it. */
  readonly periods: 1 | 2 | 3;
  /** True counts a period without data as above the threshold. */
  readonly missingIsAbove?: boolean;
}

interface Alarmed extends MonitoredResources {
  readonly settings: Settings;
  /** The topics of this stack that alarms notify. The metrics of others are in their own account. */
  readonly ownTopics: readonly Topic[];
}

/** When each alarm goes off. Undefined if the environment does not have what the alarm watches. */
export function alarmConditions(observed: Alarmed): Record<AlarmName, AlarmCondition | undefined> {
  const { settings, ownTopics } = observed;
  const { backup, firewall, reservedConcurrency } = settings;
  const api = apiMetrics(observed);
  const functions = functionMetrics(observed);
  const requests = requestMetrics(observed);
  const table = tableMetrics(observed);
  return {
    serverErrors: { metric: api.serverErrorRate, above: 0.01, periods: 2 },
    noHeartbeat: settings.heartbeat
      ? { metric: heartbeatMetrics(observed).failures, above: 0, periods: 1, missingIsAbove: true }
      : undefined,
    authorizerFailures: { metric: requests.authorizerFailures, above: 0, periods: 2 },
    lostNotifications:
      ownTopics.length === 0 ? undefined : { metric: notificationMetrics(ownTopics).failed, above: 0, periods: 1 },
    functionErrors: { metric: functions.errors, above: 0, periods: 1 },
    failedRequests: { metric: requests.failed, above: 0, periods: 1 },
    slowResponses: { metric: api.p99Latency, above: 2000, periods: 3 },
    outOfAttempts: { metric: requests.unavailable, above: 0, periods: 2 },
    stageThrottles: { metric: api.throttled, above: 0, periods: 2 },
    firewallThrottles: firewall && { metric: firewallMetrics(observed).throttled, above: 0, periods: 2 },
    firewallRefusals: firewall?.managedRules && {
      metric: firewallMetrics(observed, firewall).refusedRate,
      above: 0.05,
      periods: 2,
    },
    refusedTokens: { metric: api.unauthorizedRate, above: 0.2, periods: 2 },
    functionThrottles: { metric: functions.throttles, above: 0, periods: 1 },
    busyFunctions:
      reservedConcurrency === undefined
        ? undefined
        : { metric: functions.busiest, above: 0.8 * reservedConcurrency, periods: 2 },
    tableThrottles: { metric: table.throttles, above: 0, periods: 2 },
    tableErrors: { metric: table.systemErrors, above: 0, periods: 2 },
    slowTable: { metric: requests.databaseTime, above: 1000, periods: 3 },
    // Two days, because today's backup may not be due yet.
    noBackup: backup && { metric: backupMetrics(backup).missed, above: 0, periods: 2, missingIsAbove: true },
  };
}
