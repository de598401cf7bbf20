import type { OperationDefinition } from '../http/operations.ts';

/** CloudWatch names, shared by the functions that report metrics and by the alarms and the dashboard that read them. */
export const metricNamespace = 'Catalog';

export const metricNames = {
  created: 'Created',
  /** Creates that were replayed by their idempotency key. */
  replayed: 'Replayed',
  updated: 'Updated',
  read: 'Read',
  /** Failed requests, by `code`. */
  refused: 'Refused',
  /** Requests that failed because an identifier is taken. */
  conflicts: 'Conflicts',
  /** Requests that ran out of attempts or time (503). */
  unavailable: 'Unavailable',
  /** Requests that failed because of a defect or an outage (500). */
  failed: 'Failed',
  /** Requests to DynamoDB per API request. */
  roundTrips: 'RoundTrips',
  /** Milliseconds that one API request spent waiting for DynamoDB. */
  databaseTime: 'DatabaseTime',
  /**
   * Retries by reason: DynamoDB throttled or was not reached, another transaction was in progress, or a response was
   * lost.
   */
  retriesThrottled: 'RetriesThrottled',
  retriesConflict: 'RetriesConflict',
  retriesUnknown: 'RetriesUnknown',
  /** Writes rebuilt because another writer changed the item first. */
  retriesMoved: 'RetriesMoved',
  /** Tokens rejected: 0 or 1 for each authorizer call. */
  authorizerRefused: 'AuthorizerRefused',
  /** Failed checks of one heartbeat. */
  heartbeatFailures: 'HeartbeatFailures',
  /** Tokens that could not be checked; the gateway responds with 500. */
  authorizerFailed: 'AuthorizerFailed',
} as const;

/** The success metric of an operation, by its method. */
export const successMetrics: Readonly<Record<OperationDefinition['method'], string>> = {
  POST: metricNames.created,
  PUT: metricNames.updated,
  GET: metricNames.read,
};

/** Metric dimensions. The table name distinguishes the environments of one AWS account. */
export const dimensions = { table: 'table', operation: 'operation', code: 'code' } as const;
