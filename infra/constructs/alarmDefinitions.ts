import type { IMetric } from 'aws-cdk-lib/aws-cloudwatch';
import type { ObservedMetrics } from './observedMetrics.ts';

export interface AlarmDefinition {
  /** A page wakes somebody. By default, it is a ticket, which waits for the next working day. */
  readonly isPage?: true;
  readonly impact: string;
  readonly action: string;
  /** The first command, of the environment ENV. By default, the smoke test, which names what fails. */
  readonly command?: string;
  /** The section in docs/incidents.md. */
  readonly page?: string;
  /**
   * The alarm does not exist if its metric is undefined. An hourly metric keeps it on for at least three hours, so that
   * a rare failure notifies a few times a day.
   */
  readonly metric: (metrics: ObservedMetrics) => IMetric | undefined;
  /** The threshold, in the metric's unit. By default 0. */
  readonly above?: number;
  /** How many of the metric's last periods must be above it. */
  readonly periods: number;
  /** Of how many. By default 3. */
  readonly of?: number;
  /**
   * What a period without data counts as: above the threshold, or the state that the alarm is in. By default, as below
   * it, because without requests nobody is affected.
   */
  readonly missing?: 'above' | 'same';
}

/**
 * Goes off in the fourth bad minute, and stays on until an hour has fewer than four, so that one incident, which is
 * seldom bad in every minute, is one page, and the next one is another.
 */
const incident = { periods: 4, of: 60 } as const;

/** Shared by the two alarms about the recording. Lambda reports the age of the oldest write, of whatever shard. */
const ofRecording = {
  command: 'aws lambda list-event-source-mappings',
  page: 'changes-that-were-not-recorded',
  metric: ({ recordingLag }: ObservedMetrics) => recordingLag,
  periods: 1,
} as const;

/**
 * When each alarm goes off, who is affected, and what to do. The last two are the alarm's description, which its
 * notifications contain. The comment names what no other alarm would show. An alarm without that would only cost.
 */
export const alarmDefinitions = {
  /** An outage within minutes, of whatever part, while callers send requests. */
  serverErrors: {
    isPage: true,
    impact: 'More than 1 in 100 requests fail and callers cannot see or save their items',
    action: 'find the reason with the saved query errors, and roll back if it began with a deployment',
    metric: ({ api }) => api.serverErrorExcess,
    above: 4,
    ...incident,
  },
  /** An API that nobody can reach, which counts no requests, and an outage at night, when nobody calls. */
  noHeartbeat: {
    isPage: true,
    impact:
      'In five of 15 minutes the API has not answered the heartbeat as it should and callers may be unable to reach it at all',
    action:
      'see what fails; then check the domain, its certificate, the firewall and the authorizer, and the log of the heartbeat; if only its own token is refused, give it another with npm run admin -- heartbeat; if the heartbeat was only just added, wait for its first minutes',
    metric: ({ heartbeat }) => heartbeat?.failures,
    // Its last minutes may not be reported yet.
    periods: 5,
    of: 15,
    missing: 'above',
  },
  /** Callers who are refused while the heartbeat is not. */
  refusedCallers: {
    isPage: true,
    impact: 'About half of all requests or more get 401 and callers with valid tokens may be refused too',
    action:
      'roll back if it began with a deployment; otherwise see in the access log whether it is a single address, and check that no tokens were deleted',
    metric: ({ api }) => api.unauthorizedShare,
    above: 0.45,
    ...incident,
  },
  /**
   * The same of the identity provider's users, who are few beside the requests of the heartbeat. It ends with the first
   * one who is let in: as long as nobody calls, nobody knows more than before.
   */
  refusedUsers: {
    isPage: true,
    impact: 'For an hour no user of the identity provider was let in and these callers cannot work',
    action:
      'roll back if it began with a deployment; otherwise see the reason in the log of the authorizer, with the issuer, audience and key of the token, and compare them with the settings',
    page: 'an-identity-providers-key',
    metric: (metrics) => metrics.refusedUsers,
    periods: 1,
    of: 1,
    missing: 'same',
  },
  /** Notifications that are not delivered. */
  lostNotifications: {
    isPage: true,
    impact: "An alarm's notification was not delivered and nobody hears that callers are affected",
    action: "see who is notified, and check the subscriptions of the alarms' topics",
    command: 'npm run admin -- status --env ENV',
    page: 'the-first-day',
    metric: (metrics) => metrics.lostNotifications,
    periods: 1,
  },
  /** A failure of fewer than 1 in 100 requests, such as a defect, a crash, or too many requests at once. */
  failedRequests: {
    impact: 'A request failed and its caller got 5xx',
    action:
      'find the reason with the saved query errors; for 500, fix the defect; for 503, see on the dashboard whether DynamoDB or writers of the same item caused the retries; if Lambda refused to run a function, raise the reserved concurrency or the limit of the account',
    metric: ({ api }) => api.hourlyServerErrors,
    periods: 1,
  },
  /** The same of a row of a batch, whose request succeeds. */
  failedRows: {
    impact: 'A row of a batch failed and its caller got 500 for it',
    action:
      'find the reason with the saved query errors; if it is one item, run npm run admin -- verify for the environment, which says what is wrong with it; otherwise fix the defect',
    metric: (metrics) => metrics.failedRows,
    periods: 1,
  },
  /** A version that refuses what it should accept, which is no failure. */
  refusedWrites: {
    impact:
      'Writes are refused 20 points more often than at this hour on the days before and callers may be unable to save valid items',
    action:
      'see in the table of requests on the dashboard which operation and code it is, and roll back if it began with a deployment; otherwise find in the log whose they are',
    metric: ({ refusedWrites }) => refusedWrites.excess,
    above: 0.2,
    periods: 1,
    // The newest of a week, with which it is compared.
    of: 7 * 24,
  },
  /** Slowness that fails nothing. */
  slowResponses: {
    impact: 'The slowest 1 in 100 requests take over 2 seconds and people wait at their forms',
    action:
      'see on the dashboard whether the time in DynamoDB has risen with the duration of the functions (then the table is slow) or not (then the functions are slow)',
    metric: ({ api }) => api.p99Latency,
    above: 2000,
    periods: 3,
  },
  /** DynamoDB's trouble while retries still hide it. */
  tableRetries: {
    impact: 'DynamoDB throttles, fails or cannot be reached and callers wait for retries or get 503',
    action:
      'see on the dashboard which retries there are; if throttled, find the busy accounts in the logs or the busy key with CloudWatch Contributor Insights, and slow down whoever writes it; otherwise check the AWS Health Dashboard for the region',
    metric: ({ requests }) => requests.outages,
    periods: 2,
  },
  /** Other functions in the same AWS account, as long as they leave enough for ours. */
  usedConcurrency: {
    impact:
      'Functions use 80 % of the concurrent executions that the AWS account has not reserved and callers get 5xx once none is left',
    action:
      'find in the metrics of Lambda which functions of the account run so often, reserve concurrency for them, which limits them, and request a higher quota',
    command: 'aws lambda get-account-settings',
    metric: ({ functions }) => functions.unreservedShare,
    above: 0.8,
    periods: 2,
  },
  /** Requests beyond the limits of the stage, which are refused and no failures. */
  stageThrottles: {
    impact: "The stage's limits refused requests and callers got 429",
    action:
      'find in the access log who sends most requests, and either slow them down or raise the throttling, which for batches is a limit of its own, together with the reserved concurrency',
    page: 'contain-the-damage',
    metric: ({ api }) => api.stageThrottled,
    periods: 2,
  },
  /** Accounts that get nothing but 403, because somebody has removed their key by hand. */
  lostShares: {
    isPage: true,
    impact: 'Keys of shares are gone and callers get 403',
    action: 'deploy with enforced shares turned off, and then add the keys again that are missing',
    command: 'aws apigateway get-api-keys',
    metric: ({ api }) => api.unknownKeys,
    periods: 1,
  },
  /** Requests of one caller beyond the limits of the firewall. */
  firewallThrottles: {
    impact: 'The firewall blocked requests beyond its rate limits and their callers got 429',
    action:
      'see in the log of the firewall whether one token or one address sends most of them; if it belongs to a known caller, slow the caller down or raise the rate in the settings',
    page: 'contain-the-damage',
    metric: ({ firewall }) => firewall?.throttled,
    periods: 2,
  },
  /** Callers whom a managed rule takes for attackers. */
  firewallRefusals: {
    impact: 'The managed rules of the firewall block more than 1 in 20 requests and real callers may be getting 403',
    action:
      'see in the log of the firewall which rule blocks whom; if it blocks real callers, make the rule only count in the construct of the firewall, or remove its group from the settings',
    metric: ({ firewall }) => firewall?.refusedRate,
    above: 0.05,
    periods: 2,
  },
  /** Callers whose tokens have become invalid, while that of the heartbeat is valid. */
  refusedTokens: {
    impact: 'More than 1 in 5 requests have no valid token and their callers got 401',
    action:
      'see in the access log whether a single address is guessing tokens; if not, a token has expired or was revoked, or the settings of the identity provider have changed',
    page: 'contain-the-damage',
    metric: ({ api }) => api.unauthorizedRate,
    above: 0.2,
    periods: 2,
  },
  /** Users whose frontend forgets the audience: the provider then issues tokens that only it can read. */
  unreadableTokens: {
    impact: 'Bearer tokens are neither ours nor readable JWTs and their callers got 401',
    action:
      'if many addresses send them, see whether a frontend requests the audience of this API from the identity provider; if one does, it guesses',
    page: 'an-identity-providers-key',
    metric: (metrics) => metrics.unreadableTokens,
    above: 5,
    periods: 2,
  },
  /** The end of the heartbeat's own token, after which it would page. */
  expiringToken: {
    impact: 'The token of the heartbeat expires within 30 days, and then somebody is paged although callers are served',
    action: 'give the heartbeat another one',
    command: 'npm run admin -- heartbeat --env ENV',
    page: 'the-first-day',
    metric: ({ heartbeat }) => heartbeat?.expiringToken,
    periods: 1,
  },
  /** What no request has met yet, such as an identifier that two items have. */
  inconsistentTable: {
    impact:
      'The daily verification of the table found something, or did not finish, and callers may be refused or shown wrong items',
    command: 'npm run admin -- verify --env ENV',
    action:
      'verify the table, which says what to do about each finding; if there is none, see in the log of the verification whether the table is too large for it, or why it did not finish; if the verification was only just added, wait for its first two days',
    // Two days, because today's verification may not be due yet.
    metric: ({ verificationFindings }) => verificationFindings,
    periods: 2,
    missing: 'above',
  },
  /** Writes that are missing from the changes, which callers cannot notice. */
  unrecordedChanges: {
    isPage: true,
    impact:
      'Changes of items have not been recorded for an hour and callers who keep a copy of the items miss them; after 24 hours they are lost',
    action: 'see in the log of the function recordChanges why, and roll back if it began with a deployment',
    ...ofRecording,
    above: 60 * 60 * 1_000,
  },
  /** The same while nobody has to get up. The heartbeat sees only the shard of its own item. */
  lateChanges: {
    impact: 'Changes of items are recorded 15 minutes late and callers who keep a copy of the items lag behind',
    action:
      'see in the log of the function recordChanges whether it fails, or whether an account writes more than can be recorded in time',
    ...ofRecording,
    above: 15 * 60 * 1_000,
  },
  /** Services that wait for events about changes. */
  failedEvents: {
    impact: 'Events about changes of items cannot be sent and the callers who wait for them hear of them late or never',
    action: "check that the bus in the settings exists, and that its policy lets this account's pipe send events",
    command: 'aws pipes list-pipes',
    metric: (metrics) => metrics.events?.failed,
    periods: 1,
  },
  /** A pipe that does nothing, and so fails at nothing. */
  stoppedEvents: {
    impact: 'For 15 minutes no event about a change was sent and the callers who wait for them hear nothing',
    action:
      'see whether the pipe is running, and start it; if noHeartbeat is on too, see to that first, because what it changes is what is missing',
    command: 'aws pipes list-pipes',
    metric: (metrics) => metrics.events?.stopped,
    periods: 3,
    missing: 'above',
  },
  /** A record that somebody has damaged. */
  unreadableImages: {
    impact: 'A record of an item could not be read and callers see a change of it without values',
    action:
      'verify the table, which says what is wrong with the item if it still is; its number is in the log of the function recordChanges',
    command: 'npm run admin -- verify --env ENV',
    metric: (metrics) => metrics.unreadableImages,
    periods: 1,
  },
  /** A loss that has not happened yet. */
  noBackup: {
    impact:
      'No backup has reached the vault in the other account for a day and what callers have saved since then exists only in this account',
    action:
      'find the failed job and its reason; check the lock and the policy of the vault, and that both accounts are in the same organisation; if the backup was only just added, wait for its first two days',
    // Two days, as for the verification.
    command: 'aws backup list-copy-jobs --by-state FAILED',
    metric: ({ backups }) => backups?.missed,
    periods: 2,
    missing: 'above',
  },
} as const satisfies Record<string, AlarmDefinition>;
