import { CommandError } from '../../cli/commandError.ts';
import type { Item } from '../../lib/item/item.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { equals, expressions } from '../../lib/store/database/expressions.ts';
import { queryPage } from '../../lib/store/database/reads.ts';
import type { StoredRecord } from '../../lib/store/database/record.ts';
import { keyAttributes } from '../../lib/store/database/record.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { itemPartition } from '../../lib/store/records/keys.ts';
import { operatorSession } from '../table/operatorSession.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { problemOf } from '../table/recordProblem.ts';
import { sizeOf } from '../table/scanTable.ts';

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
