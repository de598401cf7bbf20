import * as z from 'zod/mini';
import type { StoredRecord } from '../database/documentClient.ts';
import { keys } from './keys.ts';

const shape = z.object({ last: z.int() });

/**
 * The last item id of an account that was given out.
 * @throws an error when the record is not a counter's, or the counter has left the safe integers
 */
export const readCounter = (record: StoredRecord): number => shape.parse(record).last;

/** The update that leases the next `size` ids of an account. */
export const advanceCounter = (account: string, size: number) => ({
  Key: keys.counter(account),
  UpdateExpression: 'ADD #last :size',
  ExpressionAttributeNames: { '#last': 'last' },
  ExpressionAttributeValues: { ':size': size },
});

/** The same for an account that has leased ids before; refused for any other. */
export const advanceExistingCounter = (account: string, size: number) => ({
  ...advanceCounter(account, size),
  ConditionExpression: 'attribute_exists(#last)',
});

/** The update that raises a counter, and never lowers it, as other containers may lease ids meanwhile. */
export const raiseCounter = (account: string, last: number) => ({
  Key: keys.counter(account),
  UpdateExpression: 'SET #last = :last',
  ConditionExpression: 'attribute_not_exists(#last) OR #last < :last',
  ExpressionAttributeNames: { '#last': 'last' },
  ExpressionAttributeValues: { ':last': last },
});
