import { awaitAll } from '../../catalog/awaitAll.ts';
import type { Account } from '../../item/account.ts';
import { accountMessages, CatalogError } from '../../item/errors.ts';
import { queryKey, queryPartition, type Session } from '../database/database.ts';
import { categoriesIn, readConfiguration, unitsIn } from '../records/accountRecord.ts';
import { configurationPartition, keys } from '../records/keys.ts';

/** How long a container caches an account's configuration, in milliseconds. */
export const accountLifetime = 60_000;
const capacity = 1_000;

export class AccountCache {
  /** Ordered by load time, oldest first. */
  readonly #entries = new Map<string, { readonly account: Promise<Account>; readonly expiresAt: number }>();

  /** At most a minute old. @throws CatalogError `FORBIDDEN` if there is no such account */
  get(session: Session): Promise<Account> {
    const entry = this.#entries.get(session.context.account);
    return entry !== undefined && entry.expiresAt > session.clock.now() ? entry.account : this.current(session);
  }

  /** At most a minute old, except for these two. Reads only their records, because a request can name any. */
  async with(session: Session, category: number | null | undefined, unit: string | undefined): Promise<Account> {
    const { account: id } = session.context;
    const account = await this.get(session);
    const [categories, units] = await awaitAll([
      typeof category === 'number' ? queryKey(session, keys.category(id, category)) : [],
      unit === undefined ? [] : queryKey(session, keys.unit(id, unit)),
    ]);
    const newer = {
      ...account,
      categories: new Map([...account.categories, ...categoriesIn(categories)]),
      units: new Map([...account.units, ...unitsIn(units)]),
    };
    const entry = this.#entries.get(id);
    if (entry !== undefined) this.#entries.set(id, { ...entry, account: Promise.resolve(newer) });
    return newer;
  }

  /** Always reads the table. @throws CatalogError `FORBIDDEN` if there is no such account */
  current(session: Session): Promise<Account> {
    const { account: id } = session.context;
    const account = queryAccount(session);
    const previous = this.#entries.get(id);
    const entry = { account, expiresAt: session.clock.now() + accountLifetime };
    this.#entries.delete(id);
    this.#entries.set(id, entry);
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > capacity && oldest !== undefined) this.#entries.delete(oldest);
    account.catch((error: unknown) => {
      if (this.#entries.get(id) !== entry) return;
      // During an outage, keep the previous entry. If the account is no longer open, drop it.
      if (previous !== undefined && !(error instanceof CatalogError && error.code === 'FORBIDDEN'))
        this.#entries.set(id, previous);
      else this.#entries.delete(id);
    });
    return account;
  }
}

/** Reads the table. @throws CatalogError `FORBIDDEN` if there is no such account */
export async function queryAccount(session: Session): Promise<Account> {
  const { account: id } = session.context;
  const account = readConfiguration(id, await queryPartition(session, configurationPartition(id)));
  if (account === undefined) throw accountNotOpen(id);
  return account;
}

export const accountNotOpen = (account: string): CatalogError =>
  new CatalogError('FORBIDDEN', {
    message: accountMessages.notOpen,
    subject: { field: 'account' },
    cause: new Error(`There is no account ${account}`),
  });
