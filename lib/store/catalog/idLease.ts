import type { RequestContext } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { keyOf } from '../database/database.ts';
import { keys } from '../records/keys.ts';

/** How many ids a container takes from the counter at once. Those that it does not use are lost: ids have gaps. */
const leaseSize = 10;

/** The attribute of a counter with the last id that was leased. */
export const lastAttribute = 'last';

interface Block {
  next: number;
  readonly last: number;
}

/**
 * Gives out item ids: unique in their account, safe integers, not ordered between containers. The counter is written
 * once for ten creates and is never part of a transaction, where every create of an account would meet the others.
 */
export class IdLease {
  readonly #database: Database;
  readonly #blocks = new Map<string, Block>();
  readonly #leases = new Map<string, Promise<void>>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The next free id of the caller's account. */
  async next(call: RequestContext): Promise<number> {
    for (;;) {
      const block = this.#blocks.get(call.account);
      if (block !== undefined && block.next <= block.last) return block.next++;
      await this.#lease(call);
    }
  }

  /** Those who run out at the same moment share one lease. */
  #lease(call: RequestContext): Promise<void> {
    const pending = this.#leases.get(call.account);
    if (pending !== undefined) return pending;
    const lease = this.#take(call).finally(() => this.#leases.delete(call.account));
    this.#leases.set(call.account, lease);
    return lease;
  }

  /** Sent twice after a lost answer it only loses ten ids, hence repeatable. */
  async #take(call: RequestContext): Promise<void> {
    const counter = await this.#database.update(
      call,
      {
        Key: keyOf(keys.counter(call.account)),
        UpdateExpression: 'ADD #last :size',
        ExpressionAttributeNames: { '#last': lastAttribute },
        ExpressionAttributeValues: { ':size': { N: String(leaseSize) } },
      },
      { idempotent: true },
    );
    const last = Number(counter[lastAttribute]?.N);
    if (!Number.isSafeInteger(last))
      throw new Error(`The id counter of account ${call.account} is used up or unreadable`);
    this.#blocks.set(call.account, { next: last - leaseSize + 1, last });
  }
}
