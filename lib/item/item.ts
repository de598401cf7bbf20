import type { Account } from './account.ts';
import { isOpenCategory } from './account.ts';
import { roundHalfUp } from './decimal.ts';
import type { InvalidField } from './errors.ts';
import { CatalogError, refuseInvalid, validationFailed } from './errors.ts';
import type { JsonObject } from './json.ts';
import { limits } from './limits.ts';
import type { MetadataChange } from './metadata.ts';
import { mergeMetadata } from './metadata.ts';

export const itemTypes = ['product', 'service'] as const;

/** The fields of an item that a caller decides, in the form they are stored in (spec table 2.1). */
export interface ItemFields {
  readonly name: string;
  readonly type: (typeof itemTypes)[number];
  readonly category: number | null;
  readonly value: number;
  readonly qty: number;
  readonly unit: string;
  readonly description: string | null;
  readonly active: boolean;
  readonly cost: number;
  readonly tax: number;
  readonly sku: string | null;
  readonly pn: string | null;
  readonly tag: string | null;
  readonly metadata: JsonObject;
}

/** An item as the catalog holds it. */
export interface Item extends ItemFields {
  readonly id: number;
  /** 1 when created, one more with each write. */
  readonly revision: number;
  /** When it was created, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** What an update asks for. What is not named keeps its value (spec 4.2 rule 1). */
export interface ItemChange {
  readonly fields: Partial<Omit<ItemFields, 'metadata'>>;
  /** A quantity sent without a unit: the stored unit decides how it is rounded. */
  readonly unroundedQty?: number;
  readonly metadata: MetadataChange;
}

/**
 * A quantity as it is kept in a unit (spec 2.1 "rounded according to the unit").
 * @param decimals how many decimals the unit has
 */
export const roundQty = (qty: number, decimals: number): number => roundHalfUp(qty, decimals, limits.qty.max);

/** @throws an error when the account lacks a unit that was checked or stored: a defect, or a broken table */
export function decimalsOf(unit: string, account: Account): number {
  const decimals = account.units.get(unit);
  if (decimals === undefined) throw new Error(`Account ${account.id} lacks the unit ${unit}`);
  return decimals;
}

/**
 * The archived category that a change names. A request cannot choose one, but a form sends it back: the item must have it
 * already.
 * @returns undefined when the change names none
 */
export function categoryToKeep({ fields: { category } }: ItemChange, account: Account): number | undefined {
  return typeof category === 'number' && !isOpenCategory(category, account) ? category : undefined;
}

/**
 * The item after a change, its revision one higher.
 * @param item the stored item; left as it is
 * @param account knows the item's unit where a quantity was sent without one; what the change refers to has been checked
 * @throws CatalogError `VALIDATION_FAILED` on `category` when the change names an archived one that the item does not
 * have, on `metadata` when the merge holds too many keys
 */
export function applyChange(item: Item, change: ItemChange, account: Account): Item {
  const { unroundedQty } = change;
  const metadata = mergeMetadata(item.metadata, change.metadata);
  const kept = categoryToKeep(change, account);
  refuseInvalid([
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
};

/** Custom fields that would make the item larger than the catalog keeps, in keys or in bytes. */
const largeMetadata: InvalidField = {
  field: 'metadata',
  reason: `must leave the item with at most ${limits.metadata.keysStored} keys and within ${limits.item / 1024} KB`,
};

export const tooMuchMetadata = () => validationFailed([largeMetadata]);

/**
 * The refusal of a change to an item that does not exist. It has no archived category to keep, and an invalid field is
 * told before a missing item.
 */
export const missingItem = (change: ItemChange, account: Account): CatalogError =>
  categoryToKeep(change, account) === undefined
    ? new CatalogError('ITEM_NOT_FOUND')
    : validationFailed([unavailableCategory]);
