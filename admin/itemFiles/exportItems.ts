import { CommandError } from '../../cli/commandError.ts';
import type { Item } from '../../lib/item/item.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { readItem } from '../../lib/store/records/itemRecord.ts';
import { itemPages } from '../table/itemPages.ts';
import type { RateLimiter } from '../table/rateLimiter.ts';
import { problemOf } from '../table/recordProblem.ts';

/** The items of an account by id, at a limited rate. @throws CommandError if one cannot be read */
export async function* exportItems(database: Database, account: string, limiter: RateLimiter): AsyncGenerator<Item> {
  for await (const records of itemPages(database, account, limiter)) {
    for (const record of records) {
      if (problemOf(record) !== undefined)
        throw new CommandError('An item cannot be read. Find it with npm run admin -- verify, and correct it.');
      yield readItem(record).item;
    }
  }
}
