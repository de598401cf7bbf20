import type { ChangeReader } from '../../catalog/changeReader.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Session } from '../database/database.ts';
import { equals, expressions } from '../database/expressions.ts';
import { getTogether, queryPage } from '../database/reads.ts';
import type { Key } from '../database/record.ts';
import { keyAttributes } from '../database/record.ts';
import { readChange, readChangeCounter } from '../records/changeRecord.ts';
import { changeKeys, lastSequence, sequenceIn } from '../records/keys.ts';
import { keyIn } from '../records/parseKey.ts';

type Page = Awaited<ReturnType<ChangeReader['listChanges']>>;

/** Stands for the first change of an account that has none yet. Real numbers are much higher. */
const beginning = 1;

/**
 * Reads a page of an account's changes, in one round trip if there are any. Numbers have no gaps, so a missing one has
 * expired, or belongs to a transaction that is just being completed, of which a query can see a part. What
 * {@link getTogether} reads tells these apart.
 */
export async function listChanges(session: Session, from: number | undefined, limit: number): Promise<Page> {
  const { account } = session.context;
  if (from !== undefined) {
    const { records } = await queryPage(
      session,
      between(changeKeys.change(account, from), changeKeys.change(account, from + limit - 1)),
    );
    const kept = records.map((record) => readChange(record, session.clock.now()));
    const gap = [...kept, undefined].findIndex((change, index) => change?.number !== from + index);
    const changes = kept.slice(0, gap).flatMap((change) => change ?? []);
    if (changes.length > 0) return { changes, next: from + changes.length };
  }
  const keys = [changeKeys.counter(account), changeKeys.change(account, from ?? beginning)];
  const [counter, record] = await getTogether(session, keys);
  const { first, last } = readChangeCounter(counter);
  const next = last === undefined ? beginning : last + 1;
  if (from === undefined || from === next) return { changes: [], next };
  if (from === beginning && first !== undefined) return listChanges(session, first, limit);
  if (record !== undefined && readChange(record, session.clock.now())) return { changes: [], next: from };
  throw new CatalogError('CHANGES_EXPIRED');
}

/**
 * Reads a page of an item's changes, newest first, in one round trip.
 * @param after the last stream record of the page before
 */
export async function listItemChanges(
  session: Session,
  item: number,
  after: string | undefined,
  limit: number,
): Promise<Awaited<ReturnType<ChangeReader['listItemChanges']>>> {
  const { account } = session.context;
  const { records, next } = await queryPage(session, {
    ...between(changeKeys.ofItem(account, item, ''), changeKeys.ofItem(account, item, lastSequence)),
    Limit: limit,
    ScanIndexForward: false,
    ...(after !== undefined && { ExclusiveStartKey: changeKeys.ofItem(account, item, after) }),
  });
  const changes = records.flatMap((record) => readChange(record, session.clock.now()) ?? []);
  return { changes, next: next && sequenceIn(keyIn(next)) };
}

/** The records of one partition from a key to another. */
const between = ({ pk, sk }: Key, end: Key) => ({
  ...expressions((use) => {
    const isBetween = `${use.name(keyAttributes.sort)} BETWEEN ${use.value(sk)} AND ${use.value(end.sk)}`;
    return { KeyConditionExpression: `${equals(use, keyAttributes.partition, pk)} AND ${isBetween}` };
  }),
  ConsistentRead: true,
});
