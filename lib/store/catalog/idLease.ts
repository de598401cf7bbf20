import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Database } from '../database/database.ts';
import { advanceCounter, advanceExistingCounter, readCounter } from '../records/counterRecord.ts';

/** How many ids a container leases at once. Those that it does not use are lost, so ids have gaps. */
export const leaseSize = 10;

interface Lease {
  next: number;
  readonly last: number;
}

/**
 * Assigns item ids: unique in their account, safe integers, not ordered between containers. The counter is written once
 * per ten creates, and never in the create's transaction, because all creates of an account would then conflict.
 */
export class IdLease {
  readonly #database: Database;
  readonly #leases = new Map<string, Lease>();
  readonly #pending = new Map<string, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Leases ids early if none are left. It may not be known yet whether the account is open, so this writes nothing for
   * an account that has never leased any. Never throws: {@link next} tries again after a failure.
   */
  async prepare(context: RequestContext): Promise<void> {
    if (this.#lease(context) !== undefined || this.#pending.has(context.account)) return;
    await this.#share(
      context,
      this.#take(context, advanceExistingCounter).catch(() => undefined),
    );
  }

  /** The next free id of the caller's account. */
  async next(context: RequestContext): Promise<number> {
    for (;;) {
      const lease = this.#lease(context);
      if (lease !== undefined) return lease.next++;
      const pending = this.#pending.get(context.account);
      // Another request's failure is not this one's: its deadline may have been earlier.
      if (pending !== undefined) await pending.catch(() => undefined);
      else await this.#share(context, this.#take(context, advanceCounter));
    }
  }

  /** The lease of the caller's account; undefined if there is none or it is used up. */
  #lease({ account }: RequestContext): Lease | undefined {
    const lease = this.#leases.get(account);
    return lease !== undefined && lease.next <= lease.last ? lease : undefined;
  }

  /** Requests that run out of ids at the same moment share one lease. */
  #share({ account }: RequestContext, taking: Promise<void>): Promise<void> {
    const shared = taking.finally(() => this.#pending.delete(account));
    this.#pending.set(account, shared);
    return shared;
  }

  async #take(context: RequestContext, advance: typeof advanceCounter): Promise<void> {
    // Safe to send twice after a lost answer: that only wastes ten ids.
    const counter = await this.#database.update(context, advance(context.account, leaseSize), { idempotent: true });
    const last = readCounter(counter);
    this.#leases.set(context.account, { next: last - leaseSize + 1, last });
  }
}
