import type { Modification } from '../../catalog/catalogStore.ts';
import type { Account } from '../../item/account.ts';
import { identifierNames } from '../../item/fields.ts';
import type { Item, ItemChange } from '../../item/item.ts';
import { categoryToKeep, roundQty } from '../../item/item.ts';
import type { JsonObject } from '../../item/json.ts';
import { limits } from '../../item/limits.ts';
import type { Identifiers } from '../records/guardRecord.ts';
import { noIdentifiers } from '../records/guardRecord.ts';
import type { ExpectedState, ItemWrite } from './updateExpression.ts';

/**
 * The write for an item that has not been read. Expects that identifiers and an archived category are sent back
 * unchanged, as forms do, and otherwise only what the change depends on.
 */
export function optimisticWrite({ change, revisions, account }: Modification): ItemWrite {
  const { unroundedQty } = change;
  const likely = unroundedQty === undefined ? undefined : expectedQty(unroundedQty, account);
  return {
    fields: { ...withoutIdentifiers(change.fields), ...(likely && { qty: likely.qty }) },
    metadata: change.metadata,
    expected: {
      identifiers: sentIdentifiers(change, change.fields),
      category: categoryToKeep(change, account),
      units: likely?.units,
      revisions,
      ...roomForMetadata(change.metadata),
    },
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
 * identifiers if any are sent, the unit by which a quantity was rounded, room for the metadata.
 * @param item the item as read
 * @param next the item after the change
 */
export function writeFrom(item: Item, next: Item, { change, revisions, account }: Modification): ItemWrite {
  const isRounded = change.unroundedQty !== undefined;
  return {
    fields: { ...change.fields, ...(isRounded && { qty: next.qty }) },
    metadata: change.metadata,
    expected: {
      identifiers: sentIdentifiers(change, item),
      category: categoryToKeep(change, account),
      units: isRounded ? [item.unit] : undefined,
      revisions: revisions && [item.revision],
      ...roomForMetadata(change.metadata, item.metadata),
    },
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
