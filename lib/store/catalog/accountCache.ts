import type { RequestContext } from '../../catalog/requestContext.ts';
import type { Account } from '../../item/account.ts';
import { CatalogError } from '../../item/errors.ts';
import type { PartitionReader } from '../database/partitionReader.ts';
import { readConfiguration } from '../records/accountRecord.ts';
import { configurationPartition } from '../records/keys.ts';

/** How long a container caches an account's configuration, in milliseconds. */
const lifetime = 60_000;
/** How many accounts a container caches. */
const capacity = 1_000;

/** Caches accounts' configurations in the container for a minute. Each is loaded with one query. */
export class AccountCache {
  readonly #table: PartitionReader;
  /** Ordered by load time, oldest first. */
  readonly #entries = new Map<string, { readonly account: Promise<Account>; readonly expiresAt: number }>();

  constructor(table: PartitionReader) {
    this.#table = table;
  }

  /** At most a minute old. @throws CatalogError `FORBIDDEN` if there is no such account */
  get(context: RequestContext): Promise<Account> {
    const entry = this.#entries.get(context.account);
    return entry !== undefined && entry.expiresAt > this.#table.clock.now() ? entry.account : this.current(context);
  }

  /** Always reads the table. @throws CatalogError `FORBIDDEN` if there is no such account */
  current(context: RequestContext): Promise<Account> {
    const account = this.#load(context);
    const previous = this.#entries.get(context.account);
    const entry = { account, expiresAt: this.#table.clock.now() + lifetime };
    this.#entries.delete(context.account);
    this.#entries.set(context.account, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > capacity && oldest !== undefined) this.#entries.delete(oldest);
    account.catch((error: unknown) => {
      if (this.#entries.get(context.account) !== entry) return;
      // During an outage, keep the previous entry. If the account is no longer open, drop it.
      if (previous !== undefined && !(error instanceof CatalogError && error.code === 'FORBIDDEN'))
        this.#entries.set(context.account, previous);
      else this.#entries.delete(context.account);
    });
    return account;
  }

  async #load(context: RequestContext): Promise<Account> {
    const records = await this.#table.query(context, configurationPartition(context.account));
    const account = readConfiguration(context.account, records);
    if (account === undefined) throw new CatalogError('FORBIDDEN', { cause: new Error('The account is not open') });
    return account;
  }
}
