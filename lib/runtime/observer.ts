import { heartbeatAccount } from '../access/accountId.ts';
import type { RetryReason } from '../catalog/requestContext.ts';
import type { Observation, Observe } from '../http/observation.ts';
import type { EpochMs } from '../item/epoch.ts';
import { type ErrorCode, errors } from '../item/errors.ts';
import { type Environment, variables } from './environment.ts';
import { metricNames, metricsBlock } from './metrics.ts';
import { sourceFrame } from './sourceFrames.ts';

const retryMetrics: Readonly<Record<RetryReason, string>> = {
  throttled: metricNames.retriesThrottled,
  conflict: metricNames.retriesConflict,
  unknown: metricNames.retriesUnknown,
  moved: metricNames.retriesMoved,
};

/**
 * Writes one line of JSON per request, at half the cost of two: the log entry and, through `_aws`, the metrics in
 * CloudWatch's embedded metric format. By default it bypasses `console`, because Lambda would wrap the lines in JSON of
 * its own, where CloudWatch finds no metrics.
 * @param write writes one line, which has no line break
 */
export function createObserver(
  { table, dynamodb, errorsOnly }: Pick<Environment, 'table' | 'dynamodb' | 'errorsOnly'>,
  write: (line: string) => void = (line) => process.stdout.write(`${line}\n`),
  now: () => EpochMs = Date.now,
): Observe {
  const address = dynamodb ?? `default endpoint (${variables.dynamodb} is not set)`;
  let isColdStart = true;
  return (observation) => {
    const { cause, stats, refusedUser, ...request } = observation;
    const coldStart = isColdStart;
    isColdStart = false;
    // The cause of a batch that succeeded is that of a row that failed.
    const hasFailedRow = request.rows !== undefined && cause !== undefined;
    const level = request.status >= 500 || hasFailedRow ? 'ERROR' : 'INFO';
    if (errorsOnly && level !== 'ERROR') return;
    const metrics = metricsOf(observation);
    const line = {
      timestamp: new Date(now()).toISOString(),
      level,
      message: 'request',
      ...request,
      table,
      coldStart,
      roundTrips: stats?.roundTrips ?? 0,
      ...metrics,
      ...(cause !== undefined && { dynamodb: address, error: describe(cause) }),
      _aws: metricsBlock(Object.keys(metrics), now()),
    };
    write(JSON.stringify(line));
  };
}

/**
 * The metrics of a request. Retries are only reported if there were any, refusals only for an identity provider, rows only
 * of batches, and refused writes only of callers. The reason for a 503 shows in the retries.
 */
function metricsOf(observation: Observation): Record<string, number | readonly number[]> {
  const { stats, refusal, refusedUser, rows } = observation;
  const writes = refusedWrites(observation);
  const retries = Object.entries(stats?.retries ?? {}).filter(([, count]) => count > 0);
  return {
    [metricNames.databaseTime]: stats?.databaseTime ?? 0,
    ...Object.fromEntries(retries.map(([reason, count]) => [retryMetrics[reason as RetryReason], count])),
    ...(refusedUser !== undefined && { [metricNames.refusedUsers]: Number(refusedUser) }),
    ...(refusal?.reason === 'no signed JWT' && { [metricNames.unreadableTokens]: 1 }),
    ...(rows !== undefined && { [metricNames.failedRows]: rows['INTERNAL_ERROR'] ?? 0 }),
    ...(writes.length > 0 && { [metricNames.refusedWrites]: writes }),
  };
}

const writing: readonly string[] = ['createItem', 'updateItem', 'writeItems'];

/** Whether each write of a request was refused because of its content. Many of the heartbeat's should be. */
function refusedWrites({ operation, account, status, rows, isDryRun }: Observation): number[] {
  if (!writing.includes(operation) || account === undefined || account === heartbeatAccount || isDryRun) return [];
  if (rows === undefined) return [isRefusal(status)];
  return Object.entries(rows).flatMap(([outcome, count]) => {
    const refused = outcome in errors ? isRefusal(errors[outcome as ErrorCode].status) : 0;
    return new Array<number>(count).fill(refused);
  });
}

const isRefusal = (status: number): number => Number([400, 409, 422].includes(status));

/** The system's error code, and the status and request id of DynamoDB's response. */
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
