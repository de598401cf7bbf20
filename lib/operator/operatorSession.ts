import { randomUUID } from 'node:crypto';
import type { Caller } from '../access/caller.ts';
import { permissions } from '../access/permissions.ts';
import type { RequestContext, TimedContext } from '../catalog/requestContext.ts';
import { timedContext } from '../catalog/requestContext.ts';
import type { Database, Session } from '../store/database/database.ts';

/** Timeout for one piece of work including all retries, in milliseconds. */
const operatorTimeout = 30_000;

/** The user that operators' writes are recorded under. */
export const operatorUser = 'operator';

/** An operator as a caller, who sees everything. */
export const operator = (account: string): Caller => ({ account, user: operatorUser, permissions, expiresAt: 0 });

/** Opens a table for one piece of work. */
export const timedSession = (database: Database): Session<TimedContext> =>
  database.for(timedContext(database.clock.now() + operatorTimeout));

/** One piece of work on an account. */
export const operatorContext = ({ clock }: Database, account: string): RequestContext => ({
  ...timedContext(clock.now() + operatorTimeout),
  account,
  user: operatorUser,
  writeId: randomUUID(),
});

/** Opens a table for one piece of work on an account. */
export const operatorSession = (database: Database, account: string): Session =>
  database.for(operatorContext(database, account));
