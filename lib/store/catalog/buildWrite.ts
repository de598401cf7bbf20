import type { Modification } from '../../catalog/catalogStore.ts';
import type { RequestContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import type { Account } from '../../item/account.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { identifierNames } from '../../item/fields.ts';
import { applyChange, categoryToKeep, type ItemChange, roundQty } from '../../item/item.ts';
import type { Json, JsonObject } from '../../item/json.ts';
import { limits } from '../../item/limits.ts';
import { listedName } from '../../item/listedName.ts';
import { equals, exists, expressions, isBelow, type Placeholders, setText } from '../database/expressions.ts';
import { type Identifier, type Identifiers, identifiersNotIn, noIdentifiers } from '../records/guardRecord.ts';
import { type KeyedUpdate, keyedUpdateText } from '../records/idempotencyKey.ts';
import { type ItemRecord, keyedAttributes, lastWrite } from '../records/itemRecord.ts';
import { keys, listKey } from '../records/keys.ts';

/** The state that the stored item must be in for a write to succeed. Omitted members allow anything. */
interface ExpectedState {
  readonly identifiers?: Partial<Identifiers>;
  readonly category?: number | undefined;
  readonly units?: readonly string[] | undefined;
  readonly revisions?: readonly number[] | undefined;
  /** Maximum number of metadata keys. */
  readonly metadataKeys?: number | undefined;
  /** Metadata keys that are there. */
  readonly metadataHas?: readonly string[] | undefined;
}

/** One write to an item, and the state that it requires. */
export interface ItemWrite {
  /** In stored form. Null removes the field. */
  readonly fields: ItemChange['fields'];
  readonly metadata: ItemChange['metadata'];
  /** The update's idempotency key. `isNew` requires that no update with the same key is remembered. */
  readonly keyed?: { readonly update: KeyedUpdate; readonly isNew: boolean } | undefined;
  readonly expected: ExpectedState;
}

/** The guards that a write puts and deletes, in the same transaction. */
export interface Guards {
  readonly taken: readonly Identifier[];
  readonly freed: readonly Identifier[];
}

export const hasGuards = ({ taken, freed }: Guards): boolean => taken.length + freed.length > 0;

/** A write with what sending it takes. */
export interface PlannedWrite extends ItemWrite {
  readonly guards: Guards;
  /** The lowest revision that it can change. Infinite if its condition cannot hold. */
  readonly lowest: number;
  /** The earliest time at which it can be sent: after the fence, and not before the last write. */
  readonly earliest: EpochMs;
  /** The item after the write, if that is known in advance. */
  readonly result?: ItemRecord | undefined;
}

/**
 * The write for an item that has not been read. Expects that identifiers and an archived category are sent back
 * unchanged, as forms do, and otherwise only what the change depends on.
 */
export function optimisticWrite({ change, revisions, account }: Modification, update?: KeyedUpdate): PlannedWrite {
  const { unroundedQty } = change;
  const likely = unroundedQty === undefined ? undefined : expectedQty(unroundedQty, account);
  return {
    fields: { ...withoutIdentifiers(change.fields), ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    keyed: update && { update, isNew: true },
    expected: {
      identifiers: sentIdentifiers(change, change.fields),
      category: categoryToKeep(change, account),
      units: likely?.units,
      revisions,
      ...roomForMetadata(change.metadata),
    },
    guards: { taken: [], freed: [] },
    lowest: Math.min(...(revisions ?? [1]).filter((one) => one > 0)),
    earliest: 0,
  };
}

/**
 * Predicts how a quantity will be rounded, so that an update can be written without reading the stored unit first.
 * Picks the result that most of the account's units agree on. A whole number is the same in every unit, even in one
 * that was registered a moment ago.
 * @returns the rounded quantity, and the units for which it is right; undefined means all units
 * @throws an error when the account has no units: a broken table
 */
export function expectedQty(qty: number, account: Account): { qty: number; units: readonly string[] | undefined } {
  if (Number.isInteger(qty)) return { qty: roundQty(qty, 0), units: undefined };
  const byResult = Map.groupBy(account.units, ([, decimals]) => roundQty(qty, decimals));
  const [likely, units] = [...byResult].reduce((most, other) => (other[1].length > most[1].length ? other : most));
  return { qty: likely, units: units.map(([unit]) => unit) };
}

/**
 * The write for an item that was read. It requires what it was built from, and nothing else of the item: the stored
 * identifiers if any are sent, the unit by which a quantity was rounded, room for the metadata. A transaction does not
 * return the item, so the first one requires that nothing has changed: then its result is known. So does a key that is
 * used again after it has expired.
 * @param stored the item as read
 * @param modification whose account includes the item's unit
 * @param isFirst whether this is the first write that is built from a stored item
 * @throws CatalogError `VALIDATION_FAILED` if the item does not allow the change
 */
export function writeFrom(
  stored: ItemRecord,
  { change, revisions, account }: Modification,
  keyed: ItemWrite['keyed'],
  isFirst: boolean,
): PlannedWrite {
  const { item, closedUntil, writtenAt } = stored;
  const next = applyChange(item, change, account);
  const guards = { taken: identifiersNotIn(next, item), freed: identifiersNotIn(item, next) };
  const isExact = keyed?.isNew === false || (isFirst && hasGuards(guards));
  const isRounded = change.unroundedQty !== undefined;
  return {
    fields: { ...change.fields, ...(isRounded && { qty: next.qty }) },
    metadata: change.metadata,
    keyed,
    expected: {
      identifiers: sentIdentifiers(change, item),
      category: categoryToKeep(change, account),
      units: isRounded ? [item.unit] : undefined,
      revisions: revisions !== undefined || isExact ? [item.revision] : undefined,
      ...roomForMetadata(change.metadata, item.metadata),
    },
    guards,
    lowest: item.revision,
    earliest: Math.max(closedUntil + 1, writtenAt),
    result: isExact ? { ...stored, item: next } : undefined,
  };
}

const withoutIdentifiers = (fields: ItemChange['fields']): ItemChange['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(noIdentifiers, name)));

/** The identifiers that a change names, with the values from elsewhere. */
const sentIdentifiers = ({ fields }: ItemChange, values: Partial<Identifiers>): Partial<Identifiers> =>
  Object.fromEntries(identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, values[name]]])));

/**
 * Requires that the change leaves at most the permitted number of metadata keys. Without the stored metadata, or far
 * from the limit, all keys count as new. Near the limit, those that are there must still be there.
 */
function roomForMetadata({ set, remove }: ItemChange['metadata'], stored: JsonObject = {}): ExpectedState {
  const keys = Object.keys(set);
  if (keys.length === 0) return {};
  const room = limits.metadata.keysStored - keys.length;
  if (Object.keys(stored).length <= room) return { metadataKeys: room };
  const present = [...keys, ...remove].filter((key) => Object.hasOwn(stored, key));
  return { metadataKeys: room + present.length, metadataHas: present };
}

/** One conditional write to an item in DynamoDB's terms, as a single update or as part of a transaction. */
export function itemUpdateInput(context: RequestContext, sentAt: EpochMs, id: number, write: ItemWrite) {
  const { fields } = write;
  // If the name is unchanged, this writes the same values, which costs nothing in the index.
  const listed = fields.name === undefined ? {} : listKey(context.account, id, listedName(fields.name));
  return {
    Key: keys.item(context.account, id),
    ...expressions((use) => ({
      UpdateExpression: updateText(use, { ...fields, ...listed, ...lastWrite(context, sentAt) }, write),
      ConditionExpression: conditionText(use, write, sentAt),
    })),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  };
}

/** Metadata keys are set and removed one by one, so that concurrent merges do not overwrite each other. */
function updateText(
  use: Placeholders,
  attributes: { readonly [name: string]: Json },
  { metadata, keyed }: ItemWrite,
): string {
  const revision = use.name('revision');
  const inMetadata = (key: string) => `${use.name('metadata')}.${use.name(key)}`;
  const merged = Object.entries(metadata.set).map(([key, value]) => `${inMetadata(key)} = ${use.value(value)}`);
  return setText(use, attributes, {
    set: [
      `${revision} = ${revision} + ${use.value(1)}`,
      ...merged,
      ...(keyed === undefined ? [] : rememberUpdate(use, keyed.update)),
    ],
    remove: metadata.remove.map(inMetadata),
  });
}

/** Puts a keyed update first, and moves the earlier ones on. DynamoDB reads all of them before it writes any. */
function rememberUpdate(use: Placeholders, update: KeyedUpdate): string[] {
  const [newest, ...older] = keyedAttributes.map((name) => use.name(name));
  const none = use.value('');
  const moved = older.map(
    (name, index) => `${name} = if_not_exists(${use.name(keyedAttributes[index] ?? '')}, ${none})`,
  );
  return [`${newest} = ${use.value(keyedUpdateText(update))}`, ...moved];
}

/**
 * DynamoDB allows at most 100 operands of IN. Truncating the list is safe: the condition only fails more often than
 * necessary.
 */
const maxOperands = 100;

function conditionText(use: Placeholders, { expected, keyed }: ItemWrite, sentAt: EpochMs): string {
  const isOneOf = (name: string, values: readonly Json[]) =>
    `${use.name(name)} IN (${values.slice(0, maxOperands).map((value) => use.value(value))})`;
  const all = [exists(use), isOpenAt(use, sentAt), isInOrder(use, sentAt)];
  for (const [name, text] of Object.entries(expected.identifiers ?? {}))
    all.push(text === null ? `attribute_not_exists(${use.name(name)})` : equals(use, name, text));
  if (expected.category !== undefined) all.push(equals(use, 'category', expected.category));
  if (expected.units !== undefined) all.push(isOneOf('unit', expected.units));
  if (expected.revisions !== undefined) all.push(isOneOf('revision', expected.revisions));
  if (expected.metadataKeys !== undefined)
    all.push(`size(${use.name('metadata')}) <= ${use.value(expected.metadataKeys)}`);
  for (const key of expected.metadataHas ?? []) all.push(`attribute_exists(${use.name('metadata')}.${use.name(key)})`);
  if (keyed?.isNew) {
    const key = use.value(keyed.update.key);
    all.push(...keyedAttributes.map((name) => `NOT begins_with(${use.name(name)}, ${key})`));
  }
  return all.join(' AND ');
}

/**
 * Requires that the item's last write was not sent later than this one, beyond the clocks' difference. So a request that
 * was abandoned long ago never lands on a newer write, nor on one that a version without `sent_at` has overwritten.
 */
const isInOrder = (use: Placeholders, sentAt: EpochMs): string => {
  const latest = sentAt + timeouts.clockSkew;
  return `${use.name('written_at')} <= ${use.value(latest)} AND ${isBelow(use, 'sent_at', latest + 1)}`;
};

/** Requires that no fence blocks a write sent at that time (see `fenceItem`). */
const isOpenAt = (use: Placeholders, sentAt: EpochMs): string => isBelow(use, 'closed_until', sentAt);

/**
 * An update that closes an item to every write sent at or before a given time. It changes nothing else, not even the
 * revision. If the item is already closed, the failed condition returns it.
 */
export const fenceInput = ({ account }: RequestContext, id: number, sentAt: EpochMs) => ({
  Key: keys.item(account, id),
  ...expressions((use) => ({
    ConditionExpression: `${exists(use)} AND ${isOpenAt(use, sentAt)}`,
    UpdateExpression: setText(use, { closed_until: sentAt }),
  })),
  ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
});
