import { randomUUID } from 'node:crypto';
import { type Caller, operatorUser, permissions } from '../../lib/access/caller.ts';
import { type RequestContext, timedContext } from '../../lib/catalog/requestContext.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import type { Database, Session, TimedSession } from '../../lib/store/database/database.ts';
import type { Clock } from '../../lib/store/database/retryPolicy.ts';
import type { RateLimiter } from './rateLimiter.ts';

/** Timeout for one piece of work including all retries, in milliseconds. */
const operatorTimeout = 30_000;

/** An operator as a caller, who sees everything. */
export const operator = (account: string): Caller => ({ account, user: operatorUser, permissions, expiresAt: 0 });

export const timedSession = (database: Database): TimedSession =>
  database.for(timedContext(database.clock.now() + operatorTimeout));

export const operatorContext = ({ clock }: Database, account: string): RequestContext => ({
  ...timedContext(clock.now() + operatorTimeout),
  account,
  user: operatorUser,
  writeId: randomUUID(),
});

export const operatorSession = (database: Database, account: string): Session =>
  database.for(operatorContext(database, account));

/** How often work is tried that could not be completed or confirmed, for example because of throttling. */
const maxTries = 8;

/**
 * Retries work that could not be completed or confirmed, after a pause and at a lower rate.
 * @param work can be done twice, each time in a session of its own
 */
export async function persistently<Done>(
  clock: Pick<Clock, 'sleep'>,
  limiter: RateLimiter,
  work: () => Promise<Done>,
): Promise<Done> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof CatalogError) || error.code !== 'SERVICE_UNAVAILABLE') throw error;
      limiter.slowDown();
      if (tries === maxTries) throw error;
      await clock.sleep(tries * 1_000);
    }
  }
}
