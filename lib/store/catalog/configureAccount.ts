/**
 * Changes to the configuration of accounts by requests. Every write is conditional, so that
 * concurrent writers never overwrite each other.
 */
import type { Defaults } from '../../catalog/catalogStore.ts';
import type { TimedContext } from '../../catalog/requestContext.ts';
import type { Category } from '../../item/account.ts';
import { CatalogError, validationFailed } from '../../item/errors.ts';
import { unavailableCategory } from '../../item/item.ts';
import type { JsonObject } from '../../item/json.ts';
import type { Session } from '../database/database.ts';
import { exists, expressions, type Placeholders, setText } from '../database/expressions.ts';
import { ConditionFailed } from '../database/failures.ts';
import type { Key } from '../database/record.ts';
import { putNew, type TransactItem, type TransactionParts, transact, updateRecord } from '../database/writes.ts';
import {
  newCategoryRecord,
  newUnitRecord,
  readAccount,
  requireAccount,
  requireOpen,
} from '../records/accountRecord.ts';
import { keys } from '../records/keys.ts';
import { accountNotOpen } from './accountCache.ts';

/**
 * Sets the default category and the default tax of creates. Omitted values stay unchanged; null removes the default
 * category.
 * @throws CatalogError `FORBIDDEN` if there is no such account, `VALIDATION_FAILED` if the category does not exist or is
 * archived
 */
export async function setDefaults(
  session: Session<TimedContext>,
  account: string,
  { category, tax }: Partial<Defaults>,
): Promise<void> {
  const parts: TransactionParts = {
    account: setAttributes(keys.account(account), {
      ...(category !== undefined && { default_category: category }),
      ...(tax !== undefined && { default_tax: tax }),
    }),
    ...(typeof category === 'number' && { category: requireOpen(keys.category(account, category)) }),
  };
  const explain = (failed: ConditionFailed) =>
    failed.failed('account') ? accountNotOpen(account) : validationFailed([unavailableCategory]);
  await transact(session, parts).catch(toCatalogError(explain));
}

/**
 * Adds a category with the account's next category id. Ids may have gaps.
 * @throws CatalogError `FORBIDDEN` if there is no such account
 */
export async function addCategory(session: Session<TimedContext>, account: string, name: string): Promise<number> {
  const nextId = {
    Key: keys.account(account),
    ...expressions((use) => ({
      UpdateExpression: `ADD ${use.name('last_category')} ${use.value(1)}`,
      ConditionExpression: exists(use),
    })),
  };
  const updated = await updateRecord(session, nextId, { idempotent: true }).catch(
    toCatalogError(() => accountNotOpen(account)),
  );
  const { last_category: id = 1 } = readAccount(updated);
  await transact(session, { category: putNew(newCategoryRecord(account, id, name)) });
  return id;
}

/**
 * Renames, archives or unarchives a category. Items keep one that is archived, but within a minute it can no longer be
 * chosen.
 * @throws CatalogError `FORBIDDEN` if there is no such account, `CATEGORY_NOT_FOUND`, `VALIDATION_FAILED` if the
 * account's default category would be archived
 */
export async function changeCategory(
  session: Session<TimedContext>,
  account: string,
  id: number,
  change: Partial<Category>,
): Promise<void> {
  const parts: TransactionParts = {
    account: requireAccount(account, (use) => (change.archived === true ? isNotDefault(use, id) : exists(use))),
    category: setAttributes(keys.category(account, id), change),
  };
  const explain = (failed: ConditionFailed) => {
    if (failed.failed('account') && failed.stored('account') === undefined) return accountNotOpen(account);
    return failed.failed('category') ? new CatalogError('CATEGORY_NOT_FOUND') : validationFailed([archivedDefault]);
  };
  await transact(session, parts).catch(toCatalogError(explain));
}

const isNotDefault = (use: Placeholders, category: number): string => {
  const byDefault = use.name('default_category');
  return `${exists(use)} AND (attribute_not_exists(${byDefault}) OR ${byDefault} <> ${use.value(category)})`;
};

const archivedDefault = {
  field: 'archived',
  reason: 'cannot be true, because new items get this category by default',
  rule: 'choice',
} as const;

/**
 * Registers a unit. A unit cannot be changed later, because items are rounded by it.
 * @param decimals the number of decimals that `qty` is rounded to, 0 to 4
 * @throws CatalogError `FORBIDDEN` if there is no such account, `UNIT_ALREADY_EXISTS`
 */
export async function addUnit(
  session: Session<TimedContext>,
  account: string,
  unit: string,
  decimals: number,
): Promise<void> {
  const parts = { account: requireAccount(account), unit: putNew(newUnitRecord(account, unit, decimals)) };
  const explain = (failed: ConditionFailed) =>
    failed.failed('account') ? accountNotOpen(account) : new CatalogError('UNIT_ALREADY_EXISTS');
  await transact(session, parts).catch(toCatalogError(explain));
}

/** Sets attributes of a record that must exist; null removes an attribute. */
const setAttributes = (key: Key, attributes: JsonObject): TransactItem => ({
  Update: {
    Key: key,
    ...expressions((use) => ({ UpdateExpression: setText(use, attributes), ConditionExpression: exists(use) })),
  },
});

/** Turns a failed condition into an error for the caller. Rethrows every other error. */
const toCatalogError =
  (explain: (failed: ConditionFailed) => CatalogError) =>
  (error: unknown): never => {
    throw error instanceof ConditionFailed ? explain(error) : error;
  };
