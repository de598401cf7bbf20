import { CommandError } from '../../../tools/cli/commandError.ts';
import type { Item } from '../../item/item.ts';
import type { Database } from '../../store/database/database.ts';
import { equals, expressions } from '../../store/database/expressions.ts';
import { queryPage } from '../../store/database/reads.ts';
import type { StoredRecord } from '../../store/database/record.ts';
import { keyAttributes } from '../../store/database/record.ts';
import { readItem } from '../../store/records/itemRecord.ts';
import { itemPartition } from '../../store/records/keys.ts';
import { operatorSession } from '../operatorSession.ts';
import type { RateLimiter } from '../rateLimiter.ts';
import { problemOf } from '../recordProblem.ts';
import { sizeOf } from '../scanTable.ts';

/** Enough for a few units of capacity, unless the items are large. */
const pageLength = 100;

/** The items of an account by id, at a limited rate. @throws CommandError if one cannot be read */
export async function* exportItems(database: Database, account: string, limiter: RateLimiter): AsyncGenerator<Item> {
  const partition = expressions((use) => ({
    KeyConditionExpression: equals(use, keyAttributes.partition, itemPartition(account)),
  }));
  let start: StoredRecord | undefined;
  do {
    const input = { ...partition, Limit: pageLength, ExclusiveStartKey: start };
    const page = await limiter.run(
      1,
      () => queryPage(operatorSession(database, account), input),
      // As for an eventually consistent read.
      ({ records }) => Math.ceil(sizeOf(records) / 4_096) / 2,
    );
    for (const record of page.records) {
      if (problemOf(record) !== undefined)
        throw new CommandError('An item cannot be read. Find it with npm run admin -- verify, and correct it.');
      yield readItem(record).item;
    }
    start = page.next;
  } while (start !== undefined);
}
