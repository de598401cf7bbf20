import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { RetryReason } from '../../catalog/requestContext.ts';
import { tooMuchMetadata } from '../../item/item.ts';
import type { StoredRecord } from './documentClient.ts';
import { unmarshallOptions } from './documentClient.ts';

/** Why DynamoDB cancelled one part of a write: its code, and the stored record where the condition on it failed. */
export interface CancellationReason {
  readonly code: string;
  readonly record: StoredRecord | undefined;
}

/** A write that was refused as a whole because of a condition. */
export class ConditionFailed extends Error {
  /** By the names of the parts. */
  readonly reasons: ReadonlyMap<string, CancellationReason>;
  /** Whether an earlier sending of the same message may have taken effect. */
  readonly afterLostAnswer: boolean;

  /**
   * @param parts the names of the write's parts
   * @param reasons one for each part, in the same order
   */
  constructor(parts: readonly string[], reasons: readonly CancellationReason[], afterLostAnswer: boolean) {
    super('A condition of the write did not hold');
    this.name = 'ConditionFailed';
    this.reasons = new Map(reasons.map((reason, index) => [parts[index] ?? String(index), reason]));
    this.afterLostAnswer = afterLostAnswer;
  }

  /** Whether conditions are all that stood against the write. */
  get isComplete(): boolean {
    return [...this.reasons.values()].every(({ code }) => code === 'None' || code === 'ConditionalCheckFailed');
  }

  /** Whether the condition on this part failed. */
  failed(part: string): boolean {
    return this.reasons.get(part)?.code === 'ConditionalCheckFailed';
  }

  /** The stored record that the condition of this part was checked against. */
  stored(part: string): StoredRecord | undefined {
    return this.reasons.get(part)?.record;
  }
}

/** A message that must not be sent twice, and may or may not have taken effect. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a write is not known', { cause });
    this.name = 'UnknownOutcome';
  }
}

type AttributeMap = Record<string, AttributeValue>;

/** The parts of the SDK's errors that tell failures apart; what is thrown is not always an SDK error. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Item?: AttributeMap;
  readonly CancellationReasons?: readonly { Code?: string; Message?: string; Item?: AttributeMap }[];
}

const reasonOf: Readonly<Record<string, RetryReason>> = {
  ThrottlingException: 'throttled',
  ThrottlingError: 'throttled',
  ProvisionedThroughputExceededException: 'throttled',
  ProvisionedThroughputExceeded: 'throttled',
  RequestLimitExceeded: 'throttled',
  TransactionConflictException: 'conflict',
  TransactionConflict: 'conflict',
  TransactionInProgressException: 'unknown',
  TimeoutError: 'unknown',
  AbortError: 'unknown',
};

/** Failures to connect: the message never left, so it can be sent again whatever it does. */
const unsent = new Set(['ECONNREFUSED', 'ECONNTIMEOUT', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/**
 * Why each part of a write was cancelled, whether it was one record or a transaction; undefined for any other failure.
 * The document client leaves the records in errors as DynamoDB sent them, so they are decoded here.
 */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  const { name, Item, CancellationReasons } = error as SdkError;
  if (name === 'ConditionalCheckFailedException') return [{ code: 'ConditionalCheckFailed', record: decode(Item) }];
  return CancellationReasons?.map((reason) => ({ code: reason.Code ?? 'None', record: decode(reason.Item) }));
}

const decode = (record: AttributeMap | undefined): StoredRecord | undefined =>
  record && unmarshall(record, unmarshallOptions);

/**
 * Why a failed message may be worth sending again; undefined when sending it again cannot help. `unknown` also means
 * that it may have taken effect.
 */
export function retryReason(error: unknown): RetryReason | undefined {
  const { name = '', code = '', $metadata } = error as SdkError;
  const reasons = cancellationReasons(error)?.map(({ code: cancellation }) => reasonOf[cancellation]);
  if (reasons !== undefined) return reasons.find((reason) => reason !== undefined);
  if (unsent.has(code)) return 'throttled';
  if (reasonOf[name] !== undefined) return reasonOf[name];
  const status = $metadata?.httpStatusCode;
  if (status !== undefined) {
    // Below 300, the answer was cut off or garbled, but what it answers was done.
    if (status >= 500 || status < 300) return 'unknown';
    // Otherwise it was refused and not done. A refusal that cannot be read is asked for again.
    return isUnreadable(name) ? 'throttled' : undefined;
  }
  // The system's codes begin with E, and so do those of Node's own argument checks, which sending again cannot help. With
  // HPE begins what is wrong with an answer that is no HTTP.
  return /^(E(?!RR_)|HPE_)/.test(code) ? 'unknown' : undefined;
}

/** The SDK's names for an error of DynamoDB whose body was cut off, empty or no JSON. */
const isUnreadable = (name: string): boolean => ['Error', 'SyntaxError', 'Unknown', 'UnknownError'].includes(name);

/** The refusal behind a failure, where it is the caller's: a record that would be larger than DynamoDB holds (400 KB). */
export function asRefusal(error: unknown): unknown {
  const { name, message = '', CancellationReasons = [] } = error as SdkError;
  const invalid = [
    ...(name === 'ValidationException' ? [message] : []),
    ...CancellationReasons.flatMap(({ Code, Message = '' }) => (Code === 'ValidationError' ? [Message] : [])),
  ];
  return invalid.some((text) => /item size/i.test(text)) ? tooMuchMetadata() : error;
}
