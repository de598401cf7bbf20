import type { RetryReason } from '../../catalog/catalogStore.ts';
import { tooMuchMetadata } from '../../item/item.ts';
import type { Attributes } from './attributes.ts';

/** What became of one record of a refused write: DynamoDB's code, and the stored record where the condition on it failed. */
export interface CancellationReason {
  readonly code: string;
  readonly record: Attributes | undefined;
}

/** A write that was refused as a whole because of a condition. */
export class ConditionFailed extends Error {
  readonly reasons: readonly CancellationReason[];
  /** Whether an earlier sending of the same message may have taken effect. */
  readonly afterLostAnswer: boolean;

  constructor(reasons: readonly CancellationReason[], afterLostAnswer: boolean) {
    super('A condition of the write did not hold');
    this.name = 'ConditionFailed';
    this.reasons = reasons;
    this.afterLostAnswer = afterLostAnswer;
  }

  /** Whether conditions are all that stood against the write. */
  get isComplete(): boolean {
    return this.reasons.every(({ code }) => code === 'None' || code === 'ConditionalCheckFailed');
  }

  /** Whether the condition on the record in this place of the write failed. */
  failed(index: number): boolean {
    return this.reasons[index]?.code === 'ConditionalCheckFailed';
  }
}

/** A message that must not be sent twice, and may or may not have taken effect. */
export class UnknownOutcome extends Error {
  constructor(cause: unknown) {
    super('The outcome of a write is not known', { cause });
    this.name = 'UnknownOutcome';
  }
}

/** The parts of the SDK's errors that tell failures apart; what is thrown is not always an SDK error. */
interface SdkError {
  readonly name?: string;
  readonly message?: string;
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Item?: Attributes;
  readonly CancellationReasons?: readonly { Code?: string; Message?: string; Item?: Attributes }[];
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

/** Failures to connect: the message never left, so it can be sent again whatever it says. */
const unsent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** The cancellation reasons of a refused write, whether it was one record or a transaction; undefined for any other failure. */
export function cancellationReasons(error: unknown): readonly CancellationReason[] | undefined {
  const { name, Item, CancellationReasons } = error as SdkError;
  if (name === 'ConditionalCheckFailedException') return [{ code: 'ConditionalCheckFailed', record: Item }];
  return CancellationReasons?.map((reason) => ({ code: reason.Code ?? 'None', record: reason.Item }));
}

/**
 * Why a failed message may be worth sending again; undefined when sending it again cannot help. `unknown` also means
 * that it may have taken effect.
 */
export function retryReason(error: unknown): RetryReason | undefined {
  const { name = '', code = '', $metadata } = error as SdkError;
  const reasons = cancellationReasons(error)?.map((slot) => reasonOf[slot.code]);
  if (reasons !== undefined) return reasons.find((reason) => reason !== undefined);
  if (reasonOf[name] !== undefined) return reasonOf[name];
  if (unsent.has(code)) return 'throttled';
  const status = $metadata?.httpStatusCode;
  // Below 300: the answer was cut off or garbled, but what it answers was done.
  if (status !== undefined) return status >= 500 || status < 300 ? 'unknown' : undefined;
  // The system's codes begin so, and so do those of Node's own argument checks, which sending again cannot help.
  return /^E(?!RR_)/.test(code) ? 'unknown' : undefined;
}

/** The refusal behind a failure, where it is the caller's: a record that would be larger than DynamoDB holds (400 KB). */
export function asRefusal(error: unknown): unknown {
  const { name, message = '', CancellationReasons = [] } = error as SdkError;
  const invalid = [
    ...(name === 'ValidationException' ? [message] : []),
    ...CancellationReasons.flatMap(({ Code, Message = '' }) => (Code === 'ValidationError' ? [Message] : [])),
  ];
  return invalid.some((text) => /item size/i.test(text)) ? tooMuchMetadata() : error;
}
