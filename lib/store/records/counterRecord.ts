import * as z from 'zod/mini';
import { expressions, isBelow, setText } from '../database/expressions.ts';
import type { StoredRecord } from '../database/record.ts';
import { keys } from './keys.ts';

const shape = z.object({ last: z.int() });

/** The last item id leased. @throws an error if the record is no counter, or beyond the safe integers */
export const readCounter = (record: StoredRecord): number => shape.parse(record).last;

/** The same; undefined if there is no counter or it cannot be read. */
export const lastIn = (counter: StoredRecord | undefined): number | undefined => shape.safeParse(counter).data?.last;

/** An update that leases the next `size` ids of an account; with `mustExist` only if it has leased ids before. */
export const advanceCounter = (account: string, size: number, { mustExist = false } = {}) => ({
  Key: keys.counter(account),
  ...expressions(({ name, value }) => ({
    UpdateExpression: `ADD ${name('last')} ${value(size)}`,
    ...(mustExist && { ConditionExpression: `attribute_exists(${name('last')})` }),
  })),
});

/** An update that raises a counter. It never lowers it, because other containers may lease ids at the same time. */
export const raiseCounter = (account: string, last: number) => ({
  Key: keys.counter(account),
  ...expressions((use) => ({
    UpdateExpression: setText(use, { last }),
    ConditionExpression: isBelow(use, 'last', last),
  })),
});
