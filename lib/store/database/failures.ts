import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RetryReason } from '../../catalog/requestContext.ts';
import { tooMuchMetadata } from '../../item/metadata.ts';
import { type StoredRecord, unmarshallOptions } from './record.ts';

/** Why DynamoDB cancelled one part of a write: its code, and the stored record if its condition failed. */
export interface CancellationReason {
  readonly code: string;
  readonly record: StoredRecord | undefined;
}

/** A write that was refused because of a condition. None of its parts was done. */
export class ConditionFailed extends Error {
  /** By part name. */
  readonly reasons: ReadonlyMap<string, CancellationReason>;
  /** Whether an earlier attempt to send the same request may have taken effect. */
  readonly afterLostResponse: boolean;

  /** @param reasons one for each part, in the same order */
  constructor(parts: readonly string[], reasons: readonly CancellationReason[], afterLostResponse: boolean) {
    super('A condition of the write did not hold');
    this.name = 'ConditionFailed';
    this.reasons = new Map(reasons.map((reason, index) => [parts[index] ?? String(index), reason]));
    this.afterLostResponse = afterLostResponse;
  }

  /** Whether failed conditions are the only reason why the write was refused. */
  get isComplete(): boolean {
    return [...this.reasons.values()].every(({ code }) => code === 'None' || code === 'ConditionalCheckFailed');
  }

  failed(part: string): boolean {
    return this.reasons.get(part)?.code === 'ConditionalCheckFailed';
  }

  /** The stored record that the condition of this part was checked against. */
  stored(part: string): StoredRecord | undefined {
    return this.reasons.get(part)?.record;
  }
}

/** @returns false if a condition of the write failed */
export async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof ConditionFailed) return false;
    throw error;
  }
}

/** Turns a failed condition into another error. Rethrows every other error. */
export const conditionAs =
  (errorOf: (failed: ConditionFailed) => Error) =>
  (error: unknown): never => {
    throw error instanceof ConditionFailed ? errorOf(error) : error;
  };

/** A request that must not be sent twice, and may or may not have taken effect. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a write is not known', { cause });
    this.name = 'UnknownOutcome';
  }
}

type AttributeMap = Record<string, AttributeValue>;

/** The members of the SDK's errors that distinguish failures. Not everything that is thrown is an SDK error. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Item?: AttributeMap;
  readonly CancellationReasons?: readonly { Code?: string; Message?: string; Item?: AttributeMap }[];
}

const reasonByName: Readonly<Record<string, RetryReason>> = {
  ThrottlingException: 'throttled',
  ThrottlingError: 'throttled',
  ProvisionedThroughputExceededException: 'throttled',
  ProvisionedThroughputExceeded: 'throttled',
  RequestLimitExceeded: 'throttled',
  TransactionConflictException: 'conflict',
  TransactionConflict: 'conflict',
  // Without the reasons, which have been read before. Nothing was done, and the repeat learns them.
  TransactionCanceledException: 'conflict',
  TransactionInProgressException: 'unknown',
  TimeoutError: 'unknown',
  AbortError: 'unknown',
  RequestTimeout: 'unknown',
  RequestTimeoutException: 'unknown',
};

/** Undocumented names for throttling, and for a signature too old or too new, that the SDK would retry. */
const refusedForNow = new Set([
  'LimitExceededException',
  'RequestThrottled',
  'RequestThrottledException',
  'ThrottledException',
  'Throttling',
  'TooManyRequestsException',
  'RequestExpired',
  'RequestInTheFuture',
  'RequestTimeTooSkewed',
]);

/** Failures to connect. The request was never sent, so it is always safe to send it again. */
const unsent = new Set(['ECONNREFUSED', 'ECONNTIMEOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Why each part of a write was cancelled, for a single record or a transaction; undefined for any other failure. */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  const { name, Item, CancellationReasons } = error as SdkError;
  if (name === 'ConditionalCheckFailedException') return [{ code: 'ConditionalCheckFailed', record: decode(Item) }];
  return CancellationReasons?.map((reason) => ({ code: reason.Code ?? 'None', record: decode(reason.Item) }));
}

/** The document client does not decode the records in errors. */
const decode = (record: AttributeMap | undefined): StoredRecord | undefined =>
  record && unmarshall(record, unmarshallOptions);

/** Why to send a request again, if that can help. One that is `unknown` may have taken effect. */
export function retryReason(error: unknown): RetryReason | undefined {
  const { name = '', message = '', code = '', $metadata } = error as SdkError;
  const reasons = cancellationReasons(error)?.map(({ code: cancellation }) => reasonByName[cancellation]);
  if (reasons !== undefined) return reasons.find((reason) => reason !== undefined);
  if (unsent.has(code)) return 'throttled';
  if (reasonByName[name] !== undefined) return reasonByName[name];
  const status = $metadata?.httpStatusCode;
  if (status !== undefined) {
    // Below 300, the request was done, but its response was cut off or garbled.
    if (status >= 500 || status < 300) return 'unknown';
    // Otherwise it was refused and not done. If the reason cannot be read, send it again to learn it.
    const isForNow = status === 429 || refusedForNow.has(name) || signatureTime.test(message);
    return isForNow || isUnreadable(name) ? 'throttled' : undefined;
  }
  // The system's error codes begin with E. So do those of Node's own checks (ERR_), which retrying cannot fix. Codes
  // that begin with HPE mean that the response is not HTTP.
  return /^(E(?!RR_)|HPE_)/.test(code) ? 'unknown' : undefined;
}

/** Two of the messages of `InvalidSignatureException` begin so. The others mean that the key is wrong. */
const signatureTime = /^Signature (expired|not yet current)/;

/** The SDK's names for an error of DynamoDB whose body was cut off, empty or not JSON. */
const isUnreadable = (name: string): boolean => ['Error', 'SyntaxError', 'Unknown', 'UnknownError'].includes(name);

/** DynamoDB's messages about invalid content, such as a key that is too long. Empty for any other failure. */
export function invalidContent(error: unknown): string[] {
  const { name, message = '', CancellationReasons = [] } = error as SdkError;
  return [
    ...(name === 'ValidationException' ? [message] : []),
    ...CancellationReasons.flatMap(({ Code, Message = '' }) => (Code === 'ValidationError' ? [Message] : [])),
  ];
}

/** The caller's error behind a failure, if there is one: the record would exceed DynamoDB's maximum of 400 KB. */
export const asCallersError = (error: unknown): unknown =>
  invalidContent(error).some((text) => /item size/i.test(text)) ? tooMuchMetadata() : error;
