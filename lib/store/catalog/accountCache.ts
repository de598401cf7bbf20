import * as z from 'zod/mini';
import type { RequestContext } from '../../catalog/catalogStore.ts';
import type { Account } from '../../item/account.ts';
import { CatalogError } from '../../item/errors.ts';
import { fromAttributes } from '../database/attributes.ts';
import type { Database } from '../database/database.ts';
import { configurationPartition, configurationSort } from '../records/keys.ts';

/** How long a container keeps an account's configuration, in milliseconds. */
const freshness = 60_000;
/** How many accounts' configurations a container keeps. */
const capacity = 1_000;

const accountRecord = z.object({ default_category: z.optional(z.int()), default_tax: z.number() });
const categoryRecord = z.object({ id: z.int(), name: z.string(), archived: z.boolean() });
const unitRecord = z.object({ code: z.string(), decimals: z.int() });

/** Accounts' configurations, read with one query and kept in the container for a minute. */
export class AccountCache {
  readonly #database: Database;
  /** The least recently read first. */
  readonly #kept = new Map<string, { readonly account: Promise<Account>; readonly until: number }>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** At most a minute old. @throws CatalogError `FORBIDDEN` when there is no such account */
  get(call: RequestContext): Promise<Account> {
    const kept = this.#kept.get(call.account);
    return kept !== undefined && kept.until > this.#database.clock.now() ? kept.account : this.current(call);
  }

  /** Read now. @throws CatalogError `FORBIDDEN` when there is no such account */
  current(call: RequestContext): Promise<Account> {
    const account = this.#load(call);
    const entry = { account, until: this.#database.clock.now() + freshness };
    this.#kept.delete(call.account);
    this.#kept.set(call.account, entry);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > capacity && oldest !== undefined) this.#kept.delete(oldest);
    account.catch(() => {
      if (this.#kept.get(call.account) === entry) this.#kept.delete(call.account);
    });
    return account;
  }

  async #load(call: RequestContext): Promise<Account> {
    const records = await this.#database.query(call, configurationPartition(call.account));
    const account = readConfiguration(call.account, records.map(fromAttributes));
    if (account === undefined) throw new CatalogError('FORBIDDEN', { cause: new Error('The account is not open') });
    return account;
  }
}

/**
 * An account from the records of its configuration.
 * @returns undefined when the account's own record is not among them
 * @throws an error on a record that cannot be read
 */
export function readConfiguration(id: string, records: readonly { readonly [name: string]: unknown }[]) {
  const under = (sort: string) => records.filter((record) => String(record['sk']).startsWith(sort));
  const [own] = under(configurationSort.account);
  if (own === undefined) return undefined;
  const { default_category, default_tax } = accountRecord.parse(own);
  const categories = under(configurationSort.category).map((record) => categoryRecord.parse(record));
  const units = under(configurationSort.unit).map((record) => unitRecord.parse(record));
  return {
    id,
    defaultCategory: default_category ?? null,
    defaultTax: default_tax,
    categories: new Map(categories.map(({ id: category, name, archived }) => [category, { name, archived }])),
    units: new Map(units.map(({ code, decimals }) => [code, decimals])),
  } satisfies Account;
}
