import { randomUUID } from 'node:crypto';
import { timedContext } from '../catalog/requestContext.ts';
import type { Database, Session } from '../store/database/database.ts';

/** Timeout for one read or write including all retries, in milliseconds. */
export const operatorTimeout = 30_000;

/** Opens a table for one piece of work on an account. */
export const operatorSession = (database: Database, account: string): Session =>
  database.for({
    ...timedContext(database.clock.now() + operatorTimeout),
    account,
    user: 'operator',
    writeId: randomUUID(),
  });
