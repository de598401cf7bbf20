import { timeouts } from '../catalog/timeouts.ts';
import type { EpochMs } from '../item/epoch.ts';
import { accountLifetime } from '../store/catalog/accountCache.ts';
import { putNew } from '../store/catalog/configureAccount.ts';
import type { Database } from '../store/database/database.ts';
import { exists, expressions } from '../store/database/expressions.ts';
import { getRecord } from '../store/database/reads.ts';
import type { Key, StoredRecord } from '../store/database/record.ts';
import { deleteRecord, transact } from '../store/database/writes.ts';
import { newClosureRecord, readClosure } from '../store/records/accountRecord.ts';
import { configurationPartition, keys, tokenListPartition } from '../store/records/keys.ts';
import { isSameKey, keyIn, parseKey } from '../store/records/parseKey.ts';
import { noAccount, toOperatorError } from './accounts.ts';
import { inParallel } from './inParallel.ts';
import type { OpenTable } from './openTable.ts';
import { operatorSession } from './operatorSession.ts';
import type { Pace } from './scanTable.ts';
import { scanTable } from './scanTable.ts';

/** How long a message may be held up on its way to the table, in milliseconds. */
const delay = 15_000;

/**
 * How long after an account was closed a write to it can still arrive, in milliseconds. A container writes for as long as
 * it keeps the account's configuration, which every write is checked against; a request that has just taken it from
 * there then still has a function's time.
 */
export const closingTime = Math.max(accountLifetime, timeouts.authorizerCache) + timeouts.function + delay;

/** How many records were removed, by kind. */
export type Removed = Record<string, number>;

/** Approximate write units of deleting one record, with its list entry. */
const deletionUnits = 2;
/** How many records of a page are deleted at the same time. */
const workers = 16;

/**
 * Removes an account and all its records: closes it, waits until nobody can write to it any more, and then deletes what
 * it has until a scan of the whole table finds nothing. Can be interrupted at any time, and repeated to go on.
 * @param removed counts what has been removed, while it goes on
 * @throws OperatorError if there is no such account
 */
export async function deleteAccount(
  { database, source }: OpenTable,
  account: string,
  pace: Pace,
  removed: Removed,
): Promise<void> {
  const remove = (key: Key) => deleteRecord(operatorSession(database, account), key);
  const closedAt = await close(database, account);
  const left = closedAt + closingTime - database.clock.now();
  if (left > 0) await database.clock.sleep(left);
  let found: number;
  do {
    found = 0;
    await scanTable(source, { ...pace, isConsistent: true }, async (records) => {
      const own = records.filter((record) => belongsTo(record, account)).map(keyIn);
      found += own.length;
      await inParallel(workers, own.values(), async (key) => {
        await pace.limiter.run(deletionUnits, () => remove(key));
        const kind = parseKey(key)?.kind ?? 'other';
        removed[kind] = (removed[kind] ?? 0) + 1;
      });
    });
  } while (found > 0);
  await remove(keys.closure(account));
}

/** @returns when the account was closed, now or before */
async function close(database: Database, account: string): Promise<EpochMs> {
  const session = operatorSession(database, account);
  const now = session.clock.now();
  const parts = {
    account: {
      Delete: { Key: keys.account(account), ...expressions((use) => ({ ConditionExpression: exists(use) })) },
    },
    closure: putNew(newClosureRecord(account, now)),
  };
  const closure = await getRecord(session, keys.closure(account));
  if (closure !== undefined) return readClosure(closure);
  await transact(session, parts).catch(toOperatorError(() => noAccount(account)));
  return now;
}

/** Whether a record is one of an account, except that of its closure, which goes last. */
function belongsTo(record: StoredRecord, account: string): boolean {
  const key = keyIn(record);
  if (isSameKey(key, keys.closure(account))) return false;
  if (parseKey(key)?.kind === 'token') return record['account'] === account;
  const own = configurationPartition(account);
  return key.pk === own || key.pk.startsWith(`${own}#`) || key.pk === tokenListPartition(account);
}
