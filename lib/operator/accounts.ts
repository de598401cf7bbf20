/**
 * Operators' changes to accounts. Every write is conditional, so that concurrent operators never overwrite each other.
 */
import { accountId, accountIdRule } from '../access/accountId.ts';
import type { TimedContext } from '../catalog/requestContext.ts';
import type { Account } from '../item/account.ts';
import { initialUnits } from '../item/account.ts';
import type { JsonObject } from '../item/json.ts';
import type { Session } from '../store/database/database.ts';
import { equals, exists, expressions, isAbsent, setText } from '../store/database/expressions.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import { queryPartition } from '../store/database/reads.ts';
import type { Key, StoredRecord } from '../store/database/record.ts';
import type { TransactItem, TransactionParts } from '../store/database/writes.ts';
import { transact, updateRecord } from '../store/database/writes.ts';
import {
  newAccountRecord,
  newCategoryRecord,
  newUnitRecord,
  readAccount,
  readConfiguration,
} from '../store/records/accountRecord.ts';
import { configurationPartition, keys } from '../store/records/keys.ts';

/** An expected failure, described in one sentence for the operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

/**
 * Opens an account with the initial units, no category and a default tax of 0.
 * @throws OperatorError if the id is malformed or in use
 */
export async function openAccount(session: Session<TimedContext>, account: string): Promise<void> {
  if (!accountId.test(account)) throw new OperatorError(`The account id "${account}" ${accountIdRule}.`);
  const parts = newAccountParts(account);
  const explain = (failed: ConditionFailed) =>
    failed.failed('closure') ? isBeingDeleted(account) : `The account ${account} is already open.`;
  await transact(session, parts).catch(toOperatorError(explain));
}

/**
 * The parts of the transaction that opens an account.
 * @param attributes those of its own record that differ from the usual ones
 */
export function newAccountParts(account: string, attributes: JsonObject = {}): TransactionParts {
  const units = [...initialUnits].map(([code, decimals]): [string, TransactItem] => [
    `unit ${code}`,
    putNew(newUnitRecord(account, code, decimals)),
  ]);
  const closure = {
    ConditionCheck: { Key: keys.closure(account), ...expressions((use) => ({ ConditionExpression: isAbsent(use) })) },
  };
  return { account: putNew({ ...newAccountRecord(account), ...attributes }), closure, ...Object.fromEntries(units) };
}

/**
 * Reads the current account.
 * @throws OperatorError if there is no such account
 */
export async function showAccount(session: Session<TimedContext>, account: string): Promise<Account> {
  const found = readConfiguration(account, await queryPartition(session, configurationPartition(account)));
  if (found === undefined) throw new OperatorError(noAccount(account));
  return found;
}

/**
 * Sets the default category and the default tax of creates. Omitted values stay unchanged; null removes the default
 * category.
 * @throws OperatorError if the account does not exist, or the category does not exist or is archived
 */
export async function setDefaults(
  session: Session<TimedContext>,
  account: string,
  { category, tax }: { readonly category?: number | null; readonly tax?: number },
): Promise<void> {
  const parts: TransactionParts = {
    account: setAttributes(keys.account(account), {
      ...(category !== undefined && { default_category: category }),
      ...(tax !== undefined && { default_tax: tax }),
    }),
    ...(typeof category === 'number' && { category: requireOpen(keys.category(account, category)) }),
  };
  const explain = (failed: ConditionFailed) =>
    failed.failed('account') ? noAccount(account) : `The account ${account} has no open category ${category}.`;
  await transact(session, parts).catch(toOperatorError(explain));
}

/**
 * Adds a category with the account's next category id. Ids may have gaps.
 * @returns the id
 * @throws OperatorError if there is no such account
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
    toOperatorError(() => noAccount(account)),
  );
  const { last_category: id = 1 } = readAccount(updated);
  await transact(session, { category: putNew(newCategoryRecord(account, id, name)) });
  return id;
}

/**
 * Renames a category. Containers show the new name within a minute. @throws OperatorError if there is no such category
 */
export async function renameCategory(
  session: Session<TimedContext>,
  account: string,
  id: number,
  name: string,
): Promise<void> {
  const parts = { category: setAttributes(keys.category(account, id), { name }) };
  await transact(session, parts).catch(toOperatorError(() => noCategory(account, id)));
}

/**
 * Archives a category. Items keep it, but within a minute it can no longer be chosen.
 * @throws OperatorError if there is no such category, or it is the account's default
 */
export async function archiveCategory(session: Session<TimedContext>, account: string, id: number): Promise<void> {
  const parts: TransactionParts = {
    category: setAttributes(keys.category(account, id), { archived: true }),
    account: {
      ConditionCheck: {
        Key: keys.account(account),
        ...expressions(({ name, value }) => {
          const byDefault = name('default_category');
          return { ConditionExpression: `attribute_not_exists(${byDefault}) OR ${byDefault} <> ${value(id)}` };
        }),
      },
    },
  };
  const explain = (failed: ConditionFailed) =>
    failed.failed('category')
      ? noCategory(account, id)
      : `Category ${id} is the default of the account ${account}: set another default first.`;
  await transact(session, parts).catch(toOperatorError(explain));
}

/** Makes an archived category one that can be chosen again. @throws OperatorError if there is no such category */
export async function unarchiveCategory(session: Session<TimedContext>, account: string, id: number): Promise<void> {
  const parts = { category: setAttributes(keys.category(account, id), { archived: false }) };
  await transact(session, parts).catch(toOperatorError(() => noCategory(account, id)));
}

/**
 * Registers a unit. A unit cannot be changed later, because items are rounded by it.
 * @param decimals the number of decimals that `qty` is rounded to, 0 to 4
 * @throws OperatorError if the account does not exist, or already has the unit
 */
export async function addUnit(
  session: Session<TimedContext>,
  account: string,
  code: string,
  decimals: number,
): Promise<void> {
  const parts = {
    account: requireAccount(account),
    unit: putNew(newUnitRecord(account, code, decimals)),
  };
  const explain = (failed: ConditionFailed) =>
    failed.failed('account') ? noAccount(account) : `The account ${account} already has the unit ${code}.`;
  await transact(session, parts).catch(toOperatorError(explain));
}

const isBeingDeleted = (account: string): string => `The account ${account} is being deleted.`;
export const noAccount = (account: string): string => `There is no account ${account}.`;
const noCategory = (account: string, id: number): string => `The account ${account} has no category ${id}.`;

/** Requires the account to be open. */
export const requireAccount = (account: string): TransactItem => ({
  ConditionCheck: {
    Key: keys.account(account),
    ...expressions((use) => ({ ConditionExpression: exists(use) })),
  },
});

/** Requires the category to exist and not be archived. */
export const requireOpen = (key: Key): TransactItem => ({
  ConditionCheck: {
    Key: key,
    ...expressions((use) => ({ ConditionExpression: equals(use, 'archived', false) })),
  },
});

/** Puts a record that must not exist yet. */
export const putNew = (record: StoredRecord): TransactItem => ({
  Put: { Item: { ...record }, ...expressions((use) => ({ ConditionExpression: isAbsent(use) })) },
});

/** Sets attributes of a record that must exist; null removes an attribute. */
const setAttributes = (key: Key, attributes: JsonObject): TransactItem => ({
  Update: {
    Key: key,
    ...expressions((use) => ({ UpdateExpression: setText(use, attributes), ConditionExpression: exists(use) })),
  },
});

/** Turns a failed condition into a sentence for the operator. Rethrows every other error. */
export const toOperatorError =
  (explain: (failed: ConditionFailed) => string) =>
  (error: unknown): never => {
    throw error instanceof ConditionFailed ? new OperatorError(explain(error)) : error;
  };
