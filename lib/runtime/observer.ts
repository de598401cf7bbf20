import type { RetryReason } from '../catalog/requestContext.ts';
import type { Observation, Observe } from '../http/observation.ts';
import { operations } from '../http/operations.ts';
import type { EpochMs } from '../item/epoch.ts';
import type { Environment } from './environment.ts';
import { variables } from './environment.ts';
import { dimensions, metricNames, metricNamespace, successMetrics } from './metrics.ts';
import { sourceFrame } from './sourceFrames.ts';

const retryMetrics: Readonly<Record<RetryReason, string>> = {
  throttled: metricNames.retriesThrottled,
  conflict: metricNames.retriesConflict,
  unknown: metricNames.retriesUnknown,
  moved: metricNames.retriesMoved,
};

interface ObserverOptions {
  /** Writes one line, which has no line break. */
  readonly write: (line: string) => void;
  /** Table name, which distinguishes the environments' metrics. */
  readonly table: string;
  /** Where the table is, for the log of a failure. */
  readonly dynamodb: string;
  readonly now: () => EpochMs;
  /** If true, only 5xx responses are logged. Other requests, and their metrics, are not. */
  readonly errorsOnly: boolean;
}

/**
 * Writes one line of JSON per request. It is both the log entry and, through the `_aws` block, the metrics in
 * CloudWatch's embedded metric format. One line halves the ingestion cost of two, and whoever finds a request in the
 * log also finds its metrics.
 */
export function createObserver({ write, table, dynamodb, now, errorsOnly }: ObserverOptions): Observe {
  let isColdStart = true;
  return (observation) => {
    const { cause, stats, ...request } = observation;
    const coldStart = isColdStart;
    isColdStart = false;
    const level = request.status >= 500 ? 'ERROR' : 'INFO';
    if (errorsOnly && level !== 'ERROR') return;
    const metrics = metricsOf(observation);
    const line = {
      timestamp: new Date(now()).toISOString(),
      level,
      message: 'request',
      ...request,
      table,
      coldStart,
      traceId: traceId(),
      ...metrics,
      ...(cause !== undefined && { dynamodb, error: describe(cause) }),
      _aws: { Timestamp: now(), CloudWatchMetrics: directives(metrics, request.code !== undefined) },
    };
    write(JSON.stringify(line));
  };
}

/**
 * The observer of a function. It bypasses `console`, because Lambda would wrap the lines in JSON of its own, where
 * CloudWatch finds no metrics.
 */
export const observerOf = ({ table, dynamodb, errorsOnly }: Environment): Observe =>
  createObserver({
    write: (line) => process.stdout.write(`${line}\n`),
    table,
    dynamodb: dynamodb ?? `default endpoint (${variables.dynamodb} is not set)`,
    now: Date.now,
    errorsOnly,
  });

/**
 * The metrics of a request. Round trips, database time and rejected tokens are always reported; the others only if they
 * are not 0.
 */
function metricsOf({ operation, status, code, stats, replayed }: Observation): Record<string, number> {
  const counted = (name: string, happened: boolean) => (happened ? { [name]: 1 } : {});
  const retries = Object.entries(stats?.retries ?? {}).filter(([, count]) => count > 0);
  return {
    [metricNames.roundTrips]: stats?.roundTrips ?? 0,
    [metricNames.databaseTime]: stats?.databaseTime ?? 0,
    ...Object.fromEntries(retries.map(([reason, count]) => [retryMetrics[reason as RetryReason], count])),
    ...(operation === 'authorizer' && { [metricNames.authorizerRefused]: status === 401 ? 1 : 0 }),
    ...(operation !== 'authorizer' && counted(successMetrics[operations[operation].method], status < 300 && !replayed)),
    ...counted(metricNames.replayed, replayed),
    ...counted(metricNames.conflicts, status === 409),
    ...counted(metricNames.unavailable, status === 503),
    ...counted(operation === 'authorizer' ? metricNames.authorizerFailed : metricNames.failed, status === 500),
    ...counted(metricNames.refused, code !== undefined),
  };
}

/**
 * Tells CloudWatch which members of the line are metrics. Each is reported per operation and for all operations
 * together, because summing sparse metrics leaves gaps. Errors are also reported per code.
 */
function directives(metrics: Record<string, number>, isError: boolean) {
  const directive = (by: readonly (readonly string[])[], names: readonly string[]) => ({
    Namespace: metricNamespace,
    Dimensions: by,
    Metrics: names.map((Name) => ({ Name, Unit: Name === metricNames.databaseTime ? 'Milliseconds' : 'Count' })),
  });
  const byOperation = [dimensions.table, dimensions.operation];
  const byCode = directive([[...byOperation, dimensions.code]], [metricNames.refused]);
  return [directive([byOperation, [dimensions.table]], Object.keys(metrics)), ...(isError ? [byCode] : [])];
}

/** Identifies an outage: the system's error code, and the status and request id of DynamoDB's response. */
interface Outage {
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}

/**
 * Describes an error and its causes for developers: the kind of each and its stack. Messages are omitted, because they
 * may quote what a caller sent, as DynamoDB's do. JSON drops undefined members.
 */
function describe(error: unknown): unknown {
  if (!(error instanceof Error)) return { name: typeof error };
  const { code, $metadata } = error as Outage;
  return {
    name: error.name,
    code: typeof code === 'string' && /^[A-Z_]+$/.test(code) ? code : undefined,
    status: $metadata?.httpStatusCode,
    requestId: $metadata?.requestId,
    stack: framesOf(error),
    cause: error.cause === undefined ? undefined : describe(error.cause),
  };
}

/** The frames of a stack, without the message before them, which could itself look like a frame. */
const framesOf = ({ stack = '', message }: Error): string[] =>
  stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .map(sourceFrame);

/** The request's X-Ray trace id. Nothing else of the header is logged, because callers can add to it. */
const traceId = (): string | undefined =>
  /Root=(1-[0-9a-f]{8}-[0-9a-f]{24})/.exec(process.env['_X_AMZN_TRACE_ID'] ?? '')?.[1];
