import { type Account, isOpenCategory } from './account.ts';
import { roundHalfUp } from './decimal.ts';
import type { EpochMs } from './epoch.ts';
import { CatalogError, type InvalidField, throwIfAny, validationFailed } from './errors.ts';
import { fieldNames, type ItemFields } from './fields.ts';
import { limits } from './limits.ts';
import { largeMetadata, type MetadataChange, mergeMetadata } from './metadata.ts';

export interface NewItem extends ItemFields {
  readonly id: number;
  /** 1 when created, incremented by each write. */
  readonly revision: number;
  readonly createdAt: EpochMs;
}

export interface Item extends NewItem {
  readonly updatedAt: EpochMs;
  readonly updatedBy: string;
}

/** The change requested by an update. Omitted fields keep their values (spec 4.2 rule 1). */
export interface ItemChange {
  readonly fields: Partial<Omit<ItemFields, 'metadata'>>;
  /** A quantity sent without a unit. It is rounded by the stored unit. */
  readonly unroundedQty?: number;
  readonly metadata: MetadataChange;
}

/** @throws CatalogError `VALIDATION_FAILED` with all invalid fields, in the order of spec table 2.1 */
export function throwIfInvalid(invalid: readonly InvalidField[]): void {
  const place = ({ field }: InvalidField) => (fieldNames as readonly string[]).indexOf(field);
  throwIfAny(invalid.toSorted((a, b) => place(a) - place(b)));
}

/** Rounds a quantity to a unit's decimals (spec 2.1 "rounded according to the unit"). */
export const roundQty = (qty: number, decimals: number): number => roundHalfUp(qty, decimals, limits.qty.max);

/** @throws an error if the account lacks a unit that was validated or stored: a defect, or a damaged table */
export function decimalsOf(unit: string, account: Account): number {
  const decimals = account.units.get(unit);
  if (decimals === undefined) throw new Error(`Account ${account.id} does not have the unit ${unit}`);
  return decimals;
}

/** The archived category in a change. Only an item that has it keeps it, because forms send back what they loaded. */
export function categoryToKeep({ fields: { category } }: ItemChange, account: Account): number | undefined {
  return typeof category === 'number' && !isOpenCategory(category, account) ? category : undefined;
}

/**
 * Applies a change and increments the revision. Who wrote the item last, and when, is left to the write.
 * @param account has the item's unit if a quantity was sent without one; the references in the change are valid
 * @throws CatalogError `VALIDATION_FAILED` on `category` if the change names an archived category that the item does
 * not have, or on `metadata` if the merged object has too many keys
 */
export function applyChange(item: Item, change: ItemChange, account: Account): Item {
  const { unroundedQty } = change;
  const metadata = mergeMetadata(item.metadata, change.metadata);
  const kept = categoryToKeep(change, account);
  throwIfInvalid([
    ...(kept !== undefined && kept !== item.category ? [unavailableCategory] : []),
    ...(Object.keys(metadata).length > limits.metadata.keysStored ? [largeMetadata] : []),
  ]);
  return {
    ...item,
    ...change.fields,
    ...(unroundedQty === undefined ? {} : { qty: roundQty(unroundedQty, decimalsOf(item.unit, account)) }),
    metadata,
    revision: item.revision + 1,
  };
}

export const unavailableCategory: InvalidField = {
  field: 'category',
  reason: 'is not a category of this account, or is archived',
  rule: 'unknown_reference',
};

/** An archived category, which no missing item has, comes first: validation errors come before `ITEM_NOT_FOUND`. */
export const missingItem = (change: ItemChange, account: Account): CatalogError =>
  categoryToKeep(change, account) === undefined
    ? new CatalogError('ITEM_NOT_FOUND')
    : validationFailed([unavailableCategory]);
