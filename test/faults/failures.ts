import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sdkError } from '../support/standIns/sdkError.ts';
import type { Random } from '../support/time/random.ts';

export type Command = { readonly constructor: { readonly name: string }; readonly input: unknown };

/** A guard that seems to belong to another item. */
const ofAnother = (guard: object) => ({ Code: 'ConditionalCheckFailed', Item: { ...guard, item_id: 999_999 } });

/**
 * Another transaction is in progress on a record that this command writes. It may be seen half-done, and may be rolled
 * back: then a guard that will be free is reported as another item's.
 */
export function conflictOf(command: Command, random: Random): Error {
  if (!(command instanceof TransactWriteCommand)) return sdkError('TransactionConflictException', 400);
  const parts = command.input.TransactItems ?? [];
  const conflicting = random.below(parts.length);
  const isHalfWay = random.chance(0.5);
  const reasons = parts.map(({ Put }, index) => {
    if (index === conflicting) return { Code: 'TransactionConflict' };
    return isHalfWay && Put?.Item?.['sk'] === 'GUARD' ? ofAnother(Put.Item) : { Code: 'None' };
  });
  return sdkError('TransactionCanceledException', 400, { CancellationReasons: reasons });
}

/**
 * A transaction whose first attempt has not settled: the reasons besides the conflict show a half-done state, including
 * its own guards as another item's.
 */
export function stillUnderWay({ input }: TransactWriteCommand): Error {
  const reasons = (input.TransactItems ?? []).map(({ Put }, index) => {
    if (index === 0) return { Code: 'TransactionConflict' };
    return Put?.Item?.['sk'] === 'GUARD' ? ofAnother(Put.Item) : { Code: 'None' };
  });
  return sdkError('TransactionCanceledException', 400, { CancellationReasons: reasons });
}

/** Whether a command writes what a request asks for, unlike an id lease or a fence. */
export const isRequestWrite = ({ input }: Command): boolean => JSON.stringify(input).includes('"stamp-');

export const isRead = ({ constructor: { name } }: Command): boolean =>
  ['GetCommand', 'BatchGetCommand', 'QueryCommand', 'TransactGetCommand'].includes(name);

const reset = () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });

/** The errors of a process that gets no response. With the last one, the request seems to have reached DynamoDB. */
export const losses: readonly (() => Error)[] = [
  () => sdkError('TimeoutError', undefined),
  () => sdkError('AbortError', undefined),
  reset,
  () => sdkError('InternalServerError', 500),
];

/** The SDK's error for a response that is cut off, empty, or not JSON, with any status. */
export const garbled = (status: 200 | 400, random: Random): Error =>
  random.pick([
    () => sdkError('SyntaxError', status),
    () => sdkError('Unknown', status),
    () => Object.assign(reset(), { $metadata: { httpStatusCode: status } }),
  ])();
