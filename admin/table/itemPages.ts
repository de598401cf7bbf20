import type { Database } from '../../lib/store/database/database.ts';
import { partitionPages, queryPage } from '../../lib/store/database/reads.ts';
import { itemPartition } from '../../lib/store/records/keys.ts';
import { operatorSession } from './operatorSession.ts';
import type { RateLimiter } from './rateLimiter.ts';
import { readUnits } from './scanTable.ts';

/** Number of items, of unknown size, that one query reads, so that its response arrives in time. */
const pageSize = 25;

/** The records of an account's items by id, page by page, at a limited rate. Each page has a deadline of its own. */
export const itemPages = (database: Database, account: string, limiter: RateLimiter) =>
  partitionPages(itemPartition(account), (input) => {
    const page = { ...input, ConsistentRead: false, Limit: pageSize };
    const read = () => queryPage(operatorSession(database, account), page);
    return limiter.run(1, read, ({ records }) => readUnits(records) / 2);
  });
