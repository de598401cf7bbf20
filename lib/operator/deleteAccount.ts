import { timeouts } from '../catalog/timeouts.ts';
import type { EpochMs } from '../item/epoch.ts';
import { accountLifetime } from '../store/catalog/accountCache.ts';
import { putNew } from '../store/catalog/configureAccount.ts';
import type { Database } from '../store/database/database.ts';
import { equals, exists, expressions } from '../store/database/expressions.ts';
import { getRecord, queryPage } from '../store/database/reads.ts';
import type { Key, StoredRecord } from '../store/database/record.ts';
import { keyAttributes } from '../store/database/record.ts';
import { deleteRecord, putRecord, transact } from '../store/database/writes.ts';
import { newClosureRecord, readClosure } from '../store/records/accountRecord.ts';
import { closedCounter } from '../store/records/changeRecord.ts';
import {
  changeKeys,
  changesPartition,
  changesTable,
  configurationPartition,
  keys,
  tokenListPartition,
} from '../store/records/keys.ts';
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
 * Removes an account, all its records and its changes: closes it, waits until nobody can write to it any more, and then
 * deletes what it has until a scan of the whole table finds nothing. Can be interrupted at any time, and repeated to go on.
 * @param removed counts what has been removed, while it goes on
 * @throws OperatorError if there is no such account
 */
export async function deleteAccount(
  { database, source }: OpenTable,
  account: string,
  pace: Pace,
  removed: Removed,
): Promise<void> {
  const changes = database.beside(changesTable(database.table));
  const removeAll = (from: Database, all: readonly Key[]) =>
    inParallel(workers, all.values(), async (key) => {
      await pace.limiter.run(deletionUnits, () => deleteRecord(operatorSession(from, account), key));
      const kind = from === changes ? 'change' : (parseKey(key)?.kind ?? 'other');
      removed[kind] = (removed[kind] ?? 0) + 1;
    });
  const closedAt = await close(database, account);
  const left = closedAt + closingTime - database.clock.now();
  if (left > 0) await database.clock.sleep(left);
  await closeChanges(changes, account, Number.MAX_SAFE_INTEGER);
  let found: number;
  do {
    found = 0;
    await scanTable(source, { ...pace, isConsistent: true }, async (records) => {
      const own = records.filter((record) => belongsTo(record, account)).map(keyIn);
      found += own.length;
      await removeAll(database, own);
    });
  } while (found > 0);
  for (let own = await changesOf(changes, account); own.length > 0; own = await changesOf(changes, account))
    await removeAll(changes, own);
  await closeChanges(changes, account, database.clock.now() + timeouts.clockSkew);
  // Until the writes of an account with the same id can no longer be taken for those of this one.
  await database.clock.sleep(2 * timeouts.clockSkew + 1_000);
  await deleteRecord(operatorSession(database, account), keys.closure(account));
}

/** Keeps what the stream still delivers of the account from being recorded as changes. */
const closeChanges = (changes: Database, account: string, until: EpochMs): Promise<void> =>
  putRecord(operatorSession(changes, account), { Item: closedCounter(account, until, changes.clock.now()) });

/** Some of the account's records in the table of changes, except the counter, which expires. */
async function changesOf(changes: Database, account: string): Promise<Key[]> {
  const { records } = await queryPage(operatorSession(changes, account), {
    ...expressions((use) => ({
      KeyConditionExpression: equals(use, keyAttributes.partition, changesPartition(account)),
    })),
    ConsistentRead: true,
  });
  return records.map(keyIn).filter((key) => !isSameKey(key, changeKeys.counter(account)));
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
