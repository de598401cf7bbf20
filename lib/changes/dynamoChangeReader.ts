import { awaitAll } from '../catalog/awaitAll.ts';
import type { RequestContext } from '../catalog/requestContext.ts';
import type { EpochMs } from '../item/epoch.ts';
import { CatalogError } from '../item/errors.ts';
import { AccountCache } from '../store/catalog/accountCache.ts';
import { type Database, getRecord, getTogether, queryPage, type Session } from '../store/database/database.ts';
import { equals, expressions } from '../store/database/expressions.ts';
import { type Key, keyAttributes, type StoredRecord } from '../store/database/record.ts';
import { changeKeys, changesTable, keyIn, lastSequence, sequenceIn } from '../store/records/keys.ts';
import { readChange, readChangeCounter } from './changeRecord.ts';
import type { RecordedChange } from './recordedChange.ts';

/**
 * Read-only access to what has changed, for accounts that are open. Its account cache lives as long as the container.
 * @returns opens it for a request; each method throws CatalogError `FORBIDDEN` if there is no such account
 */
export function dynamoChangeReader(database: Database) {
  const accounts = new AccountCache();
  const changes = database.beside(changesTable(database.table));
  return (context: RequestContext) => {
    const session = changes.for(context);
    const ifOpen = async <Found>(reading: Promise<Found>): Promise<Found> => {
      const [found] = await awaitAll([reading, accounts.get(database.for(context))]);
      return found;
    };
    return {
      listChanges: (from: number | undefined, limit: number) => ifOpen(listChanges(session, from, limit)),
      findChange: (recordedFrom: EpochMs) => ifOpen(findChange(session, recordedFrom)),
      listItemChanges: (item: number, after: string | undefined, limit: number) =>
        ifOpen(listItemChanges(session, item, after, limit)),
    };
  };
}

export type ChangeReader = ReturnType<ReturnType<typeof dynamoChangeReader>>;

interface ChangePage {
  readonly changes: readonly RecordedChange[];
  /** The number to continue from. */
  readonly next: number;
  /** Whether there may be more already. */
  readonly hasMore: boolean;
}

/** Stands for the first change of an account that has none yet. Real numbers are much higher. */
const beginning = 1;

/**
 * A page of the changes from a number on, in one round trip if there are any. Numbers have no gaps, so a missing one has
 * expired, or belongs to a transaction that is just being completed, of which a query can see a part. {@link getTogether}
 * distinguishes these. @param from undefined for those that follow from now on
 * @throws CatalogError `CHANGES_EXPIRED` if the first change is no longer kept
 */
async function listChanges(session: Session, from: number | undefined, limit: number): Promise<ChangePage> {
  const { account } = session.context;
  if (from !== undefined) {
    const { records, next: rest } = await queryPage(
      session,
      between(changeKeys.change(account, from), changeKeys.change(account, from + limit - 1)),
    );
    const kept = records.map((record) => readChange(record, session.clock.now()));
    const gap = [...kept, undefined].findIndex((change, index) => change?.number !== from + index);
    const changes = kept.slice(0, gap).flatMap((change) => change ?? []);
    const hasMore = changes.length === limit || rest !== undefined;
    if (changes.length > 0) return { changes, next: from + changes.length, hasMore };
  }
  const keys = [changeKeys.counter(account), changeKeys.change(account, from ?? beginning)];
  const [counter, record] = await getTogether(session, keys);
  const { first, last, skipped_at } = readChangeCounter(counter);
  const next = last === undefined ? beginning : last + 1;
  if (from === undefined || from === next) return { changes: [], next, hasMore: false };
  if (from === beginning && first !== undefined && skipped_at === undefined) return listChanges(session, first, limit);
  if (record !== undefined && readChange(record, session.clock.now()))
    return { changes: [], next: from, hasMore: false };
  throw new CatalogError('CHANGES_EXPIRED');
}

/** How long the stream keeps a write, and a change is kept at least, in milliseconds. */
const day = 24 * 60 * 60_000;

/** How long before its list a copy may begin, in milliseconds. Changes lost before the list are in the list. */
const headStart = 10 * 60_000;

/**
 * Finds the number of the first change that was recorded at a time or later, by binary search. Those that have expired
 * were recorded before the others. One of an older version, which kept no times, counts as recorded as late as it can be.
 * @throws CatalogError `CHANGES_EXPIRED` if changes since then are no longer kept, or were lost after the {@link headStart}
 */
async function findChange(session: Session, recordedFrom: EpochMs): Promise<number> {
  const { account } = session.context;
  const now = session.clock.now();
  const counter = readChangeCounter(await getRecord(session, changeKeys.counter(account)));
  const { first, last, recorded_at = 0, skipped_at } = counter;
  if (skipped_at !== undefined && recordedFrom < skipped_at - headStart) throw new CatalogError('CHANGES_EXPIRED');
  if (first === undefined || last === undefined) return last === undefined ? beginning : last + 1;
  const timeOf = (record: StoredRecord | undefined) => {
    const change = record && readChange(record, now);
    return change && (change.recordedAt ?? change.updatedAt + day);
  };
  // An older version does not advance the counter's time. If the last change is not there, it has expired.
  const [newest] = await getTogether(session, [changeKeys.change(account, last)]);
  if ((timeOf(newest) ?? Math.max(recorded_at, now - day)) < recordedFrom) return last + 1;
  let [low, high] = [first, last + 1];
  let isExpired = false;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const time = timeOf(await getRecord(session, changeKeys.change(account, middle)));
    if (time !== undefined && time >= recordedFrom) high = middle;
    else [low, isExpired] = [middle + 1, time === undefined];
  }
  // If the one before it is missing, others that are missing may have been recorded since then.
  if (isExpired) throw new CatalogError('CHANGES_EXPIRED');
  return low;
}

/**
 * A page of the kept changes of one item, newest first, in one round trip.
 * @param after the place to continue from, which the page before has returned; undefined for the newest
 * @returns each change with its place, and the place to continue from; undefined at the end
 */
async function listItemChanges(session: Session, item: number, after: string | undefined, limit: number) {
  const { account } = session.context;
  const { records, next } = await queryPage(session, {
    ...between(changeKeys.ofItem(account, item, ''), changeKeys.ofItem(account, item, lastSequence)),
    Limit: limit,
    ScanIndexForward: false,
    ...(after !== undefined && { ExclusiveStartKey: changeKeys.ofItem(account, item, after) }),
  });
  const place = (record: StoredRecord): string => sequenceIn(keyIn(record));
  const changes = records.flatMap((record) => {
    const change = readChange(record, session.clock.now());
    return change === undefined ? [] : { ...change, place: place(record) };
  });
  return { changes, next: next && place(next) };
}

/** The records of one partition from a key to another. */
const between = ({ pk, sk }: Key, end: Key) => ({
  ...expressions((use) => {
    const isBetween = `${use.name(keyAttributes.sort)} BETWEEN ${use.value(sk)} AND ${use.value(end.sk)}`;
    return { KeyConditionExpression: `${equals(use, keyAttributes.partition, pk)} AND ${isBetween}` };
  }),
  ConsistentRead: true,
});
