import type { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sdkError } from '../support/standIns/sdkError.ts';

export type Command = { readonly constructor: { readonly name: string }; readonly input: unknown };

/** A guard that seems to belong to another item. */
const ofAnother = (guard: object) => ({ Code: 'ConditionalCheckFailed', Item: { ...guard, item_id: 999_999 } });

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
