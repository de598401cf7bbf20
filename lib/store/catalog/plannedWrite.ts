import type { Identifier, Modification } from '../../catalog/catalogStore.ts';
import type { Account } from '../../item/account.ts';
import type { EpochMs } from '../../item/epoch.ts';
import { fieldChanges } from '../../item/fieldChanges.ts';
import { identifierNames } from '../../item/fields.ts';
import { applyChange, categoryToKeep, type ItemChange, roundQty } from '../../item/item.ts';
import type { JsonObject } from '../../item/json.ts';
import { limits } from '../../item/limits.ts';
import { type Identifiers, identifiersNotIn, noIdentifiers } from '../records/guardRecord.ts';
import { earlierUpdate, type KeyedUpdate } from '../records/idempotencyRecord.ts';
import type { ItemRecord } from '../records/itemRecord.ts';

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
  /** Whether it changes nothing but the keys that the item remembers. */
  readonly isUnchanged?: boolean;
}

/** The guards that a write puts and deletes, in the same transaction. */
interface Guards {
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

/** For an item that was not read. Expects identifiers and an archived category to be sent unchanged, as forms do. */
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
 * Predicts how a quantity will be rounded, without reading the stored unit: as most of the account's units agree. A
 * whole number is the same in every unit, even in one that was registered a moment ago.
 * @returns the units for which it is right; undefined means all @throws an error without units: a broken table
 */
export function expectedQty(qty: number, account: Account): { qty: number; units: readonly string[] | undefined } {
  if (Number.isInteger(qty)) return { qty: roundQty(qty, 0), units: undefined };
  const byResult = Map.groupBy(account.units, ([, decimals]) => roundQty(qty, decimals));
  const [likely, units] = [...byResult].reduce((most, other) => (other[1].length > most[1].length ? other : most));
  return { qty: likely, units: units.map(([unit]) => unit) };
}

/**
 * The write that is built from a stored item. Requires only what it was built from, so that writers of other fields do
 * not hold it up. @param isSecond whether it is the second write of the request, whose account has the item's unit
 * @throws CatalogError `VALIDATION_FAILED` if the item does not allow the change
 */
export function writeFrom(
  stored: ItemRecord,
  { change, revisions, account, skipsUnchanged }: Modification,
  update: KeyedUpdate | undefined,
  isSecond: boolean,
): PlannedWrite {
  const { item, closedUntil, writtenAt } = stored;
  const keyed = update && { update, isNew: earlierUpdate(stored, update) !== 'expired' };
  const next = applyChange(item, change, account);
  const earliest = Math.max(closedUntil + 1, writtenAt);
  if (skipsUnchanged && fieldChanges(item, next).length === 0)
    return {
      fields: {},
      metadata: { set: {}, remove: [] },
      keyed,
      expected: { revisions: [item.revision] },
      guards: { taken: [], freed: [] },
      // It leaves the revision as it is, which is one above this.
      lowest: item.revision - 1,
      earliest,
      isUnchanged: true,
    };
  const guards = { taken: identifiersNotIn(next, item), freed: identifiersNotIn(item, next) };
  // A transaction does not return the item, but if nothing else may have changed, its result is known. Of two updates
  // with a key that has expired, only one may be done.
  const isExact = keyed?.isNew === false || (isSecond && hasGuards(guards));
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
    earliest,
    result: isExact ? { ...stored, item: next } : undefined,
  };
}

const withoutIdentifiers = (fields: ItemChange['fields']): ItemChange['fields'] =>
  Object.fromEntries(Object.entries(fields).filter(([name]) => !Object.hasOwn(noIdentifiers, name)));

/** The identifiers that a change names, with the values from elsewhere. */
const sentIdentifiers = ({ fields }: ItemChange, values: Partial<Identifiers>): Partial<Identifiers> =>
  Object.fromEntries(identifierNames.flatMap((name) => (fields[name] === undefined ? [] : [[name, values[name]]])));

/** Room for the keys that are sent. All count as new, except near the limit, where those stored must still be there. */
function roomForMetadata({ set, remove }: ItemChange['metadata'], stored: JsonObject = {}): ExpectedState {
  const keys = Object.keys(set);
  if (keys.length === 0) return {};
  const room = limits.metadata.keysStored - keys.length;
  if (Object.keys(stored).length <= room) return { metadataKeys: room };
  const present = [...keys, ...remove].filter((key) => Object.hasOwn(stored, key));
  return { metadataKeys: room + present.length, metadataHas: present };
}
