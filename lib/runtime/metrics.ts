import type { EpochMs } from '../item/epoch.ts';

/** CloudWatch names, shared by the functions that report metrics and by the alarms and the dashboard that read them. */
export const metricNamespace = 'Catalog';

/** Each is charged for every hour in which it is reported. What needs no alarm or graph is counted in log lines. */
export const metricNames = {
  /** Milliseconds that one API request spent waiting for DynamoDB. */
  databaseTime: 'DatabaseTime',
  /** By reason, if there were any: throttled or not reached; another transaction in progress; response lost. */
  retriesThrottled: 'RetriesThrottled',
  retriesConflict: 'RetriesConflict',
  retriesUnknown: 'RetriesUnknown',
  /** Writes rebuilt because another writer changed the item first. */
  retriesMoved: 'RetriesMoved',
  /** Rows of one batch that got 500, reported even if there are none, so that a share of the batches can be computed. */
  failedRows: 'FailedRows',
  /** 1 for each write of an item that was refused because of its content (400, 409, 422), 0 for each other. */
  refusedWrites: 'RefusedWrites',
  /** 1 for a user of the identity provider who was refused, 0 for one who was not. The minimum is 1 if all were. */
  refusedUsers: 'RefusedUsers',
  /** Bearer tokens that are neither ours nor a readable JWT, such as those of frontends that did not request the audience. */
  unreadableTokens: 'UnreadableTokens',
  /** Failed checks of one heartbeat. */
  heartbeatFailures: 'HeartbeatFailures',
  /** 1 in each heartbeat of the last 30 days of its token. */
  expiringToken: 'ExpiringToken',
  /** What a scheduled verification found. */
  verificationFindings: 'VerificationFindings',
  /** Images in the table's stream that could not be read, so that their changes have no values. */
  unreadableImages: 'UnreadableImages',
} as const;

/** Metric dimensions. The table name distinguishes the environments of one AWS account. */
export const dimensions = { table: 'table' } as const;

/** Declares which members of a log line are CloudWatch metrics, which add up over all functions. */
export const metricsBlock = (names: readonly string[], now: EpochMs) => ({
  Timestamp: now,
  CloudWatchMetrics: [
    {
      Namespace: metricNamespace,
      Dimensions: [[dimensions.table]],
      Metrics: names.map((Name) => ({ Name, Unit: Name === metricNames.databaseTime ? 'Milliseconds' : 'Count' })),
    },
  ],
});

/**
 * Writes a line that is both the log entry of what a function found, an error if it found any, and its metric.
 * @param entry must also have the table, the metric's dimension @param others further metrics, which are no errors
 */
export function reportCount(
  metric: string,
  count: number,
  entry: object,
  others: Readonly<Record<string, number>> = {},
): void {
  const _aws = metricsBlock([metric, ...Object.keys(others)], Date.now());
  const level = count > 0 ? 'ERROR' : 'INFO';
  process.stdout.write(`${JSON.stringify({ level, ...entry, [metric]: count, ...others, _aws })}\n`);
}
