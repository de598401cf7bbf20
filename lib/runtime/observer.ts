import type { RetryReason } from '../catalog/requestContext.ts';
import type { Observation, Observe } from '../http/observation.ts';
import { routes } from '../http/routes.ts';
import { dimensions, doneMetrics, metricNames, metricNamespace } from './metrics.ts';
import { sourceFrame } from './sourceFrames.ts';

const retryMetrics: Readonly<Record<RetryReason, string>> = {
  throttled: metricNames.retriesThrottled,
  conflict: metricNames.retriesConflict,
  unknown: metricNames.retriesUnknown,
  moved: metricNames.retriesMoved,
};

interface ObserverOptions {
  /** Takes one line, without its end. */
  readonly write: (line: string) => void;
  /** Name of the table, which tells the metrics of environments apart. */
  readonly table: string;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Whether only failures are written, without the requests that went well and their metrics. */
  readonly errorsOnly: boolean;
}

/**
 * Writes one line of JSON for each request that is both its log entry and, by the block `_aws`, its metrics in
 * CloudWatch's embedded metric format. One line costs half the ingestion of two, and finding a request finds its figures.
 */
export function createObserver({ write, table, now, errorsOnly }: ObserverOptions): Observe {
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
      ...(cause !== undefined && { error: describe(cause) }),
      _aws: { Timestamp: now(), CloudWatchMetrics: directives(metrics, request.code !== undefined) },
    };
    write(JSON.stringify(line));
  };
}

/** What is counted of a request: only what happened, but round trips, time and refused tokens always. */
function metricsOf({ operation, status, code, stats, replayed }: Observation): Record<string, number> {
  const counted = (name: string, happened: boolean) => (happened ? { [name]: 1 } : {});
  const retries = Object.entries(stats?.retries ?? {}).filter(([, count]) => count > 0);
  return {
    [metricNames.roundTrips]: stats?.roundTrips ?? 0,
    [metricNames.databaseTime]: stats?.databaseTime ?? 0,
    ...Object.fromEntries(retries.map(([reason, count]) => [retryMetrics[reason as RetryReason], count])),
    ...(operation === 'authorizer' && { [metricNames.authorizerRefused]: status === 401 ? 1 : 0 }),
    ...(operation !== 'authorizer' && counted(doneMetrics[routes[operation].method], status < 300 && !replayed)),
    ...counted(metricNames.replayed, replayed),
    ...counted(metricNames.conflicts, status === 409),
    ...counted(metricNames.unavailable, status === 503),
    ...counted(operation === 'authorizer' ? metricNames.authorizerFailed : metricNames.failed, status === 500),
    ...counted(metricNames.refused, code !== undefined),
  };
}

/**
 * Tells CloudWatch which members of the line are metrics: all of them by operation and of all operations together, since
 * sums over sparse metrics have gaps; refusals by code as well.
 */
function directives(metrics: Record<string, number>, isRefusal: boolean) {
  const directive = (by: readonly (readonly string[])[], names: readonly string[]) => ({
    Namespace: metricNamespace,
    Dimensions: by,
    Metrics: names.map((Name) => ({ Name, Unit: Name === metricNames.databaseTime ? 'Milliseconds' : 'Count' })),
  });
  const byOperation = [dimensions.table, dimensions.operation];
  const byCode = directive([[...byOperation, dimensions.code]], [metricNames.refused]);
  return [directive([byOperation, [dimensions.table]], Object.keys(metrics)), ...(isRefusal ? [byCode] : [])];
}

/** What tells one outage from another: the system's code, and the status and request id of DynamoDB's answer. */
interface Outage {
  readonly code?: unknown;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
}

/**
 * A failure and its causes, for developers: the kind of each and where it arose. Not the message, because it may quote what
 * a caller has sent, as DynamoDB's messages do. JSON leaves out what is undefined.
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

/** The places of a stack, without the message that stands before them and may look like one. */
const framesOf = ({ stack = '', message }: Error): string[] =>
  stack
    .slice(stack.indexOf(message) + message.length)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line.startsWith('at '))
    .map(sourceFrame);

/** The trace that X-Ray files the request under; of its header only this, as a caller can add to it. */
const traceId = (): string | undefined =>
  /Root=(1-[0-9a-f]{8}-[0-9a-f]{24})/.exec(process.env['_X_AMZN_TRACE_ID'] ?? '')?.[1];
