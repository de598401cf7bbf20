import type { CatalogConfigurator, OpenStore } from '../../catalog/catalogStore.ts';
import { CatalogError, validationFailed } from '../../item/errors.ts';
import { unavailableCategory } from '../../item/item.ts';
import type { JsonObject } from '../../item/json.ts';
import type { Database, TimedSession } from '../database/database.ts';
import { exists, expressions, type Placeholders, setText } from '../database/expressions.ts';
import { type ConditionFailed, conditionAs } from '../database/failures.ts';
import type { Key } from '../database/record.ts';
import { putNew, type TransactItem, type TransactionParts, transact, updateRecord } from '../database/writes.ts';
import {
  newCategoryRecord,
  newUnitRecord,
  readAccount,
  removalMark,
  requireAccount,
  requireOpen,
} from '../records/accountRecord.ts';
import { keys } from '../records/keys.ts';
import { accountNotOpen, queryAccount } from './accountCache.ts';

/** The changes of `CatalogConfigurator`, each by a conditional write. */
export const configureAccount = (
  session: TimedSession,
  account: string,
): Omit<CatalogConfigurator, 'currentAccount'> => ({
  async setDefaults({ category, tax }) {
    const parts: TransactionParts = {
      account: setAttributes(keys.account(account), {
        ...(category !== undefined && { default_category: category }),
        ...(tax !== undefined && { default_tax: tax }),
      }),
      ...(typeof category === 'number' && { category: requireOpen(keys.category(account, category)) }),
    };
    const explain = (failed: ConditionFailed) =>
      failed.failed('account') ? accountNotOpen(account) : validationFailed([unavailableCategory]);
    await transact(session, parts).catch(conditionAs(explain));
  },

  /** Takes the account's next category id first. Ids may have gaps. */
  async addCategory(name) {
    const nextId = {
      Key: keys.account(account),
      ...expressions((use) => ({
        UpdateExpression: `ADD ${use.name('last_category')} ${use.value(1)}`,
        ConditionExpression: exists(use),
      })),
    };
    const notOpen = conditionAs(() => accountNotOpen(account));
    const { last_category: id = 1 } = readAccount(
      await updateRecord(session, nextId, { idempotent: true }).catch(notOpen),
    );
    await transact(session, { category: putNew(newCategoryRecord(account, id, name)) });
    return id;
  },

  async changeCategory(id, change) {
    const parts: TransactionParts = {
      account: requireAccount(account, (use) => (change.archived === true ? isNotDefault(use, id) : exists(use))),
      category: setAttributes(keys.category(account, id), { ...change, [removalMark]: null }),
    };
    const explain = (failed: ConditionFailed) => {
      if (failed.failed('account') && failed.stored('account') === undefined) return accountNotOpen(account);
      return failed.failed('category') ? new CatalogError('CATEGORY_NOT_FOUND') : validationFailed([archivedDefault]);
    };
    await transact(session, parts).catch(conditionAs(explain));
  },

  async addUnit(unit, decimals) {
    const parts = { account: requireAccount(account), unit: putNew(newUnitRecord(account, unit, decimals)) };
    const explain = (failed: ConditionFailed) =>
      failed.failed('account') ? accountNotOpen(account) : new CatalogError('UNIT_ALREADY_EXISTS');
    await transact(session, parts).catch(conditionAs(explain));
  },
});

/** Changes the configuration of accounts in a DynamoDB table. Nothing stays in memory. */
export const dynamoCatalogConfigurator =
  (database: Database): OpenStore<CatalogConfigurator> =>
  (context) => {
    const session = database.for(context);
    return { currentAccount: () => queryAccount(session), ...configureAccount(session, context.account) };
  };

const isNotDefault = (use: Placeholders, category: number): string => {
  const byDefault = use.name('default_category');
  return `${exists(use)} AND (attribute_not_exists(${byDefault}) OR ${byDefault} <> ${use.value(category)})`;
};

const archivedDefault = {
  field: 'archived',
  reason: 'cannot be true, because new items get this category by default',
  rule: 'choice',
} as const;

/** Sets attributes of a record that must exist; null removes an attribute. */
const setAttributes = (key: Key, attributes: JsonObject): TransactItem => ({
  Update: {
    Key: key,
    ...expressions((use) => ({ UpdateExpression: setText(use, attributes), ConditionExpression: exists(use) })),
  },
});
