import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Database } from '../database/database.ts';
import { advanceCounter, readCounter } from '../records/counterRecord.ts';

/** How many ids a container leases at once. Those that it does not use are lost: ids have gaps. */
export const leaseSize = 10;

interface Lease {
  next: number;
  readonly last: number;
}

/**
 * Gives out item ids: unique in their account, safe integers, not ordered between containers. The counter is written
 * once for ten creates and is never part of a transaction, where every create of an account would conflict with the others.
 */
export class IdLease {
  readonly #database: Database;
  readonly #leases = new Map<string, Lease>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The next free id of the caller's account. */
  async next(context: RequestContext): Promise<number> {
    for (;;) {
      const lease = this.#leases.get(context.account);
      if (lease !== undefined && lease.next <= lease.last) return lease.next++;
      await this.#renew(context);
    }
  }

  /** Requests that run out of ids at the same moment share one lease. */
  #renew(context: RequestContext): Promise<void> {
    const pending = this.#pending.get(context.account);
    if (pending !== undefined) return pending;
    const renewal = this.#take(context).finally(() => this.#pending.delete(context.account));
    this.#pending.set(context.account, renewal);
    return renewal;
  }

  async #take(context: RequestContext): Promise<void> {
    // Idempotent enough: sent twice after a lost answer, it only loses ten ids.
    const counter = await this.#database.update(context, advanceCounter(context.account, leaseSize), {
      idempotent: true,
    });
    const last = readCounter(counter);
    this.#leases.set(context.account, { next: last - leaseSize + 1, last });
  }
}
