import { randomUUID } from 'node:crypto';
import type { RequestContext } from '../catalog/requestContext.ts';
import { timedContext } from '../catalog/requestContext.ts';
import type { Database } from '../store/database/database.ts';

/** Timeout for one read or write including all retries, in milliseconds. */
export const operatorTimeout = 30_000;

export const operatorContext = ({ clock }: Database, account: string): RequestContext => ({
  ...timedContext(clock.now() + operatorTimeout),
  account,
  user: 'operator',
  writeId: randomUUID(),
});
