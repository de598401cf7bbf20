/** What operators do to accounts. Every write is conditional, so that two operators at once lose nothing. */
import { accountId, accountIdRule } from '../access/accountId.ts';
import type { TimedContext } from '../catalog/requestContext.ts';
import type { Account } from '../item/account.ts';
import { initialUnits } from '../item/account.ts';
import type { JsonObject } from '../item/json.ts';
import type { Database, TransactItem, TransactionParts } from '../store/database/database.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import {
  newAccountRecord,
  newCategoryRecord,
  newUnitRecord,
  readAccount,
  readConfiguration,
} from '../store/records/accountRecord.ts';
import type { Key } from '../store/records/keys.ts';
import { configurationPartition, keyAttributes, keys } from '../store/records/keys.ts';

/** A refusal, in one sentence for an operator. */
export class OperatorError extends Error {
  override readonly name = 'OperatorError';
}

const exists = 'attribute_exists(#pk)';
const isAbsent = 'attribute_not_exists(#pk)';
const pk = { '#pk': keyAttributes.partition };

/**
 * Opens an account with the initial units, no category and a default tax of 0.
 * @throws OperatorError when the id is malformed or in use
 */
export async function openAccount(database: Database, context: TimedContext, account: string): Promise<void> {
  if (!accountId.test(account)) throw new OperatorError(`The account id "${account}" ${accountIdRule}.`);
  const units = [...initialUnits].map(([code, decimals]): [string, TransactItem] => [
    `unit ${code}`,
    putNew(database, newUnitRecord(account, code, decimals)),
  ]);
  const parts = { account: putNew(database, newAccountRecord(account)), ...Object.fromEntries(units) };
  await database.transact(context, parts).catch(explain(() => `The account ${account} is open already.`));
}

/**
 * An account as it is now.
 * @throws OperatorError when there is no such account
 */
export async function showAccount(database: Database, context: TimedContext, account: string): Promise<Account> {
  const found = readConfiguration(account, await database.query(context, configurationPartition(account)));
  if (found === undefined) throw new OperatorError(noAccount(account));
  return found;
}

/**
 * Sets what creates take when they name no category or tax. What is left out stays; a category of null is none.
 * @throws OperatorError when the account does not exist, or has no such category open
 */
export async function setDefaults(
  database: Database,
  context: TimedContext,
  account: string,
  { category, tax }: { readonly category?: number | null; readonly tax?: number },
): Promise<void> {
  const parts: TransactionParts = {
    account: change(database, keys.account(account), {
      ...(category !== undefined && { default_category: category }),
      ...(tax !== undefined && { default_tax: tax }),
    }),
    ...(typeof category === 'number' && { category: requireOpen(database, keys.category(account, category)) }),
  };
  const refusal = (failed: ConditionFailed) =>
    failed.failed('account') ? noAccount(account) : `The account ${account} has no open category ${category}.`;
  await database.transact(context, parts).catch(explain(refusal));
}

/**
 * Adds a category under the account's next category id; ids may have gaps.
 * @returns that id
 * @throws OperatorError when there is no such account
 */
export async function addCategory(
  database: Database,
  context: TimedContext,
  account: string,
  name: string,
): Promise<number> {
  const nextId = {
    Key: keys.account(account),
    UpdateExpression: 'ADD #last :one',
    ConditionExpression: exists,
    ExpressionAttributeNames: { ...pk, '#last': 'last_category' },
    ExpressionAttributeValues: { ':one': 1 },
  };
  const updated = await database.update(context, nextId, { idempotent: true }).catch(explain(() => noAccount(account)));
  const { last_category: id = 1 } = readAccount(updated);
  await database.transact(context, { category: putNew(database, newCategoryRecord(account, id, name)) });
  return id;
}

/** Renames a category; containers show the new name within a minute. @throws OperatorError when there is none */
export async function renameCategory(
  database: Database,
  context: TimedContext,
  account: string,
  id: number,
  name: string,
): Promise<void> {
  const parts = { category: change(database, keys.category(account, id), { name }) };
  await database.transact(context, parts).catch(explain(() => noCategory(account, id)));
}

/**
 * Archives a category: items keep it, but within a minute none can choose it.
 * @throws OperatorError when there is none, or it is the account's default
 */
export async function archiveCategory(
  database: Database,
  context: TimedContext,
  account: string,
  id: number,
): Promise<void> {
  const parts: TransactionParts = {
    category: change(database, keys.category(account, id), { archived: true }),
    account: {
      ConditionCheck: {
        TableName: database.table,
        Key: keys.account(account),
        ConditionExpression: 'attribute_not_exists(#default) OR #default <> :id',
        ExpressionAttributeNames: { '#default': 'default_category' },
        ExpressionAttributeValues: { ':id': id },
      },
    },
  };
  const refusal = (failed: ConditionFailed) =>
    failed.failed('category')
      ? noCategory(account, id)
      : `Category ${id} is the default of the account ${account}: set another default first.`;
  await database.transact(context, parts).catch(explain(refusal));
}

/**
 * Registers a unit. It stays as it is, for items are rounded by it.
 * @param decimals how many decimals `qty` is rounded to in it, 0 to 4
 * @throws OperatorError when the account does not exist, or has the unit already
 */
export async function addUnit(
  database: Database,
  context: TimedContext,
  account: string,
  code: string,
  decimals: number,
): Promise<void> {
  const parts = {
    account: requireAccount(database, account),
    unit: putNew(database, newUnitRecord(account, code, decimals)),
  };
  const refusal = (failed: ConditionFailed) =>
    failed.failed('account') ? noAccount(account) : `The account ${account} has the unit ${code} already.`;
  await database.transact(context, parts).catch(explain(refusal));
}

export const noAccount = (account: string): string => `There is no account ${account}.`;
const noCategory = (account: string, id: number): string => `The account ${account} has no category ${id}.`;

/** Requires an account that is open. */
export const requireAccount = (database: Database, account: string): TransactItem => ({
  ConditionCheck: {
    TableName: database.table,
    Key: keys.account(account),
    ConditionExpression: exists,
    ExpressionAttributeNames: pk,
  },
});

/** Requires a category that exists and is not archived. */
const requireOpen = (database: Database, key: Key): TransactItem => ({
  ConditionCheck: {
    TableName: database.table,
    Key: key,
    ConditionExpression: '#archived = :no',
    ExpressionAttributeNames: { '#archived': 'archived' },
    ExpressionAttributeValues: { ':no': false },
  },
});

/** Puts a record that must not exist yet. */
const putNew = (database: Database, record: JsonObject): TransactItem => ({
  Put: {
    TableName: database.table,
    Item: record,
    ConditionExpression: isAbsent,
    ExpressionAttributeNames: pk,
  },
});

/** Sets attributes of a record that must exist; null removes. The names are this module's, never an operator's text. */
function change(database: Database, key: Key, attributes: JsonObject): TransactItem {
  const all = Object.entries(attributes);
  const set = all.filter(([, value]) => value !== null);
  const remove = all.filter(([, value]) => value === null);
  const clauses = [
    ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`)}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(([name]) => `#${name}`)}`] : []),
  ];
  return {
    Update: {
      TableName: database.table,
      Key: key,
      UpdateExpression: clauses.join(' '),
      ConditionExpression: exists,
      ExpressionAttributeNames: { ...pk, ...Object.fromEntries(all.map(([name]) => [`#${name}`, name])) },
      ...(set.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, value])),
      }),
    },
  };
}

/** Turns a failed condition into a sentence for the operator, and throws every other failure as it is. */
export const explain =
  (refusal: (failed: ConditionFailed) => string) =>
  (error: unknown): never => {
    throw error instanceof ConditionFailed ? new OperatorError(refusal(error)) : error;
  };
