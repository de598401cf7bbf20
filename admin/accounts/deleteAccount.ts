import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { CommandError } from '../../cli/print.ts';
import { timeouts } from '../../lib/catalog/timeouts.ts';
import { closedCounter } from '../../lib/changes/changeRecord.ts';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { accountLifetime } from '../../lib/store/catalog/accountCache.ts';
import { type Database, getRecord, queryPage, type Session } from '../../lib/store/database/database.ts';
import { equals, exists, expressions } from '../../lib/store/database/expressions.ts';
import { conditionAs } from '../../lib/store/database/failures.ts';
import { type Key, keyAttributes, type StoredRecord } from '../../lib/store/database/record.ts';
import { deleteRecord, putNew, putRecord, transact } from '../../lib/store/database/writes.ts';
import { newClosureRecord, readClosure } from '../../lib/store/records/accountRecord.ts';
import {
  changeKeys,
  changesPartition,
  changesTable,
  configurationPartition,
  isSameKey,
  keyIn,
  keys,
  parseKey,
  tokenListPartition,
} from '../../lib/store/records/keys.ts';
import { operatorSession, persistently } from '../table/operatorSession.ts';
import { inParallel, type PacedTable, scanTable } from '../table/scanTable.ts';
import { noAccount } from './accounts.ts';

/** The longest delay of a request on its way to DynamoDB, in milliseconds. */
const delay = 15_000;

/**
 * How long after an account was closed a write to it can still arrive, in milliseconds: as long as a container keeps the
 * configuration that writes are checked against, and then the time of a request that has just taken it.
 */
export const closingTime = Math.max(accountLifetime, timeouts.authorizerCache) + timeouts.function + delay;

export type Removed = Record<string, number>;

/** Approximate write units of deleting one record, with its list entry. */
const deletionUnits = 2;
/** How many records of a page are deleted at the same time. */
const workers = 16;

/**
 * Removes an account, all its records and its changes: closes it, waits until nobody can write to it any more, and then
 * deletes what it has until a scan of the whole table finds nothing. Can be interrupted at any time, and repeated to continue.
 * Times are by DynamoDB's clock, because the stream's are, and whoever continues may have another clock.
 * @param removed number of removed records by kind, updated during the run
 * @throws CommandError if there is no such account, or another operator has deleted it meanwhile
 */
export async function deleteAccount(table: PacedTable, account: string, removed: Removed): Promise<void> {
  const { database, source, limiter } = table;
  const changes = database.beside(changesTable(database.table));
  const inDatabase = <Done>(work: (session: Session) => Promise<Done>, from = database): Promise<Done> =>
    persistently(from.clock, limiter, () => work(operatorSession(from, account)));
  const now = await databaseTime(source);
  const closedAt = await inDatabase((session) => close(session, account, now));
  const requireClosed = async (): Promise<void> => {
    const closure = await inDatabase((session) => getRecord(session, keys.closure(account)));
    if (closure === undefined || readClosure(closure) !== closedAt)
      throw new CommandError(`The account ${account} was deleted meanwhile by another operator.`);
  };
  const removeAll = async (from: Database, all: readonly Key[]) => {
    if (all.length > 0) await requireClosed();
    await inParallel(workers, all.values(), async (key) => {
      await limiter.run(deletionUnits, () => inDatabase((session) => deleteRecord(session, key), from));
      const kind = from === changes ? 'change' : (parseKey(key)?.kind ?? 'other');
      removed[kind] = (removed[kind] ?? 0) + 1;
    });
  };
  const closeChanges = async (until: EpochMs, at: EpochMs) => {
    await requireClosed();
    await inDatabase((session) => putRecord(session, { Item: closedCounter(account, until, at) }), changes);
  };
  const wait = closedAt + closingTime - now;
  if (wait > 0) await database.clock.sleep(wait);
  await closeChanges(Number.MAX_SAFE_INTEGER, now);
  let found: number;
  do {
    found = 0;
    await scanTable(
      table,
      async (records) => {
        const owned = records.filter((record) => belongsTo(record, account)).map(keyIn);
        found += owned.length;
        await removeAll(database, owned);
      },
      { isConsistent: true },
    );
  } while (found > 0);
  const changesLeft = () => inDatabase((session) => changesOf(session, account), changes);
  for (let left = await changesLeft(); left.length > 0; left = await changesLeft()) await removeAll(changes, left);
  const end = await databaseTime(source);
  await closeChanges(end + timeouts.clockSkew, end);
  // Keeps the id closed until writes of a new account cannot be taken for those of this one, and until another
  // operator's run that has just found the account closed has finished its step.
  await database.clock.sleep(2 * timeouts.clockSkew + 1_000);
  await inDatabase((session) => deleteRecord(session, keys.closure(account)));
}

/** The time by DynamoDB's clock, up to a second ago: the header `Date` of a response, in whole seconds as in streams. */
async function databaseTime({ client, table }: PacedTable['source']): Promise<EpochMs> {
  let date: string | undefined;
  const command = new GetCommand({ TableName: table, Key: keys.account('') });
  command.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { readonly headers: Record<string, string> }).headers['date'];
      return result;
    },
    { step: 'deserialize' },
  );
  // Without options, the client uses handlers that it keeps, which do not know the command's middleware.
  await client.send(command, {});
  const time = Date.parse(date ?? '');
  if (Number.isNaN(time)) throw new Error(`DynamoDB's response has no valid date: ${date}`);
  return time;
}

/** Some of the account's records in the table of changes, except the counter, which expires. */
async function changesOf(changes: Session, account: string): Promise<Key[]> {
  const partition = changesPartition(account);
  const condition = expressions((use) => ({ KeyConditionExpression: equals(use, keyAttributes.partition, partition) }));
  const { records } = await queryPage(changes, { ...condition, ConsistentRead: true });
  return records.map(keyIn).filter((key) => !isSameKey(key, changeKeys.counter(account)));
}

/** @returns when the account was closed, now or before */
async function close(session: Session, account: string, now: EpochMs): Promise<EpochMs> {
  const before = await getRecord(session, keys.closure(account));
  if (before !== undefined) return readClosure(before);
  const isOpen = expressions((use) => ({ ConditionExpression: exists(use) }));
  const parts = {
    account: { Delete: { Key: keys.account(account), ...isOpen } },
    closure: putNew(newClosureRecord(account, now)),
  };
  await transact(session, parts).catch(conditionAs(() => new CommandError(noAccount(account))));
  return now;
}

/** Whether a record is one of an account, except that of its closure, which goes last. */
function belongsTo(record: StoredRecord, account: string): boolean {
  const key = keyIn(record);
  if (isSameKey(key, keys.closure(account))) return false;
  if (parseKey(key)?.kind === 'token') return record['account'] === account;
  const partition = configurationPartition(account);
  return key.pk === partition || key.pk.startsWith(`${partition}#`) || key.pk === tokenListPartition(account);
}
