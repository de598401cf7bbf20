import { limits } from '../../item/limits.ts';
import type { Session } from '../database/database.ts';
import { updateRecord } from '../database/writes.ts';
import { advanceCounter, readCounter } from '../records/counterRecord.ts';

/** How many ids a container leases at once. Those that it does not use are lost, so ids have gaps. */
const leaseSize = 10;

/** The most that it leases at once, for the rows of a batch. */
export const largestLease = limits.rows.max;

interface Lease {
  next: number;
  readonly last: number;
}

/**
 * Assigns item ids: unique in their account, safe integers, not ordered between containers. The counter is not written
 * in the create's transaction, because all creates of an account would then conflict.
 */
export class IdLease {
  readonly #leases = new Map<string, Lease>();
  readonly #pending = new Map<string, Promise<void>>();

  /**
   * Leases ids early if fewer than these are left. Writes nothing for an account that has never leased any, because it
   * may not be open. Never throws: {@link next} tries again after a failure.
   */
  async prepare(session: Session, count = 1): Promise<void> {
    const lease = this.#lease(session);
    const left = lease === undefined ? 0 : lease.last - lease.next + 1;
    if (left >= count || this.#pending.has(session.context.account)) return;
    const taking = this.#take(session, Math.max(count, leaseSize), { mustExist: true });
    await this.#share(
      session,
      taking.catch(() => undefined),
    );
  }

  async next(session: Session): Promise<number> {
    for (;;) {
      const lease = this.#lease(session);
      if (lease !== undefined) return lease.next++;
      const pending = this.#pending.get(session.context.account);
      // Another request's failure is not this one's: its deadline may have been earlier.
      if (pending !== undefined) await pending.catch(() => undefined);
      else await this.#share(session, this.#take(session));
    }
  }

  /** The lease of the caller's account; undefined if there is none or it is used up. */
  #lease({ context: { account } }: Session): Lease | undefined {
    const lease = this.#leases.get(account);
    return lease !== undefined && lease.next <= lease.last ? lease : undefined;
  }

  /** Requests that run out of ids at the same moment share one lease. */
  #share({ context: { account } }: Session, taking: Promise<void>): Promise<void> {
    const shared = taking.finally(() => this.#pending.delete(account));
    this.#pending.set(account, shared);
    return shared;
  }

  async #take(session: Session, size = leaseSize, options?: { readonly mustExist: boolean }): Promise<void> {
    const { account } = session.context;
    // Safe to send twice after a lost response: that only wastes the ids.
    const counter = await updateRecord(session, advanceCounter(account, size, options), { idempotent: true });
    const last = readCounter(counter);
    this.#leases.set(account, { next: last - size + 1, last });
  }
}
