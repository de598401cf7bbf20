import type { routes } from '../http/routes.ts';

/** The names under which the functions report to CloudWatch; alarms and the dashboard read the same. */
export const metricNamespace = 'Catalog';

export const metricNames = {
  /** Items created. */
  created: 'Created',
  /** Creates that were answered again by their key. */
  replayed: 'Replayed',
  /** Items updated. */
  updated: 'Updated',
  /** Requests that only read. */
  read: 'Read',
  /** Requests refused, by `code`. */
  refused: 'Refused',
  /** Requests refused because an identifier is taken. */
  conflicts: 'Conflicts',
  /** Requests that ran out of tries or time, answered 503. */
  unavailable: 'Unavailable',
  /** Requests that failed on a defect or an outage, answered 500. */
  failed: 'Failed',
  /** Messages to DynamoDB for one request. */
  roundTrips: 'RoundTrips',
  /** Milliseconds for which one request awaited DynamoDB. */
  databaseTime: 'DatabaseTime',
  /** Messages sent again, by why: DynamoDB was throttling or not reached, another transaction was under way, an answer was lost. */
  retriesThrottled: 'RetriesThrottled',
  retriesConflict: 'RetriesConflict',
  retriesUnknown: 'RetriesUnknown',
  /** Writes built again because another writer was faster. */
  retriesMoved: 'RetriesMoved',
  /** Tokens refused: 0 or 1 for each that the authorizer is asked about. */
  authorizerRefused: 'AuthorizerRefused',
  /** Checks of one heartbeat that failed. */
  heartbeatFailures: 'HeartbeatFailures',
  /** Tokens that could not be checked, answered 500 by the gateway. */
  authorizerFailed: 'AuthorizerFailed',
} as const;

/** The metric that counts what an operation has done, by the method of its route. */
export const doneMetrics: Readonly<Record<(typeof routes)[keyof typeof routes]['method'], string>> = {
  POST: metricNames.created,
  PUT: metricNames.updated,
  GET: metricNames.read,
};

/** The dimensions of the metrics; the table's name tells the environments of one AWS account apart. */
export const dimensions = { table: 'table', operation: 'operation', code: 'code' } as const;
