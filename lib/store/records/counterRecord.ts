import * as z from 'zod/mini';
import type { StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

const shape = z.object({ last: z.int() });

/**
 * The last item id of an account that was leased.
 * @throws an error if the record is not a counter, or the counter is beyond the safe integers
 */
export const readCounter = (record: StoredRecord): number => shape.parse(record).last;

/** The same; undefined if there is no counter or it cannot be read. */
export const lastIn = (counter: StoredRecord | undefined): number | undefined => shape.safeParse(counter).data?.last;

/** An update that leases the next `size` ids of an account. */
export const advanceCounter = (account: string, size: number) => ({
  Key: keys.counter(account),
  UpdateExpression: 'ADD #last :size',
  ExpressionAttributeNames: { '#last': 'last' },
  ExpressionAttributeValues: { ':size': size },
});

/** Like {@link advanceCounter}, but only for an account that has leased ids before. */
export const advanceExistingCounter = (account: string, size: number) => ({
  ...advanceCounter(account, size),
  ConditionExpression: 'attribute_exists(#last)',
});

/** An update that raises a counter. It never lowers it, because other containers may lease ids at the same time. */
export const raiseCounter = (account: string, last: number) => ({
  Key: keys.counter(account),
  UpdateExpression: 'SET #last = :last',
  ConditionExpression: 'attribute_not_exists(#last) OR #last < :last',
  ExpressionAttributeNames: { '#last': 'last' },
  ExpressionAttributeValues: { ':last': last },
});
