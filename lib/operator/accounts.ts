/** What operators do to accounts. Every write is conditional, so that two operators at once lose nothing. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { TimedContext } from '../catalog/catalogStore.ts';
import type { Account } from '../item/account.ts';
import { initialUnits } from '../item/account.ts';
import type { JsonObject } from '../item/json.ts';
import { readConfiguration } from '../store/catalog/accountCache.ts';
import { fromAttributes, toAttribute, toAttributes } from '../store/database/attributes.ts';
import type { Database } from '../store/database/database.ts';
import { keyOf } from '../store/database/database.ts';
import { ConditionFailed } from '../store/database/failures.ts';
import type { Key } from '../store/records/keys.ts';
import { configurationPartition, keyAttributes, keys } from '../store/records/keys.ts';

/** What a condition refuses, in one sentence for an operator. */
export class OperatorError extends Error {
  override readonly name = 'RegistryError';
}

/** Account ids are parts of keys, so they hold nothing that separates the parts. */
export const accountId = /^[a-z0-9][a-z0-9-]{0,62}$/;
export const accountIdRule = 'must be 1 to 63 lower-case letters, digits and hyphens';

const isThere = 'attribute_exists(#pk)';
const isNotThere = 'attribute_not_exists(#pk)';
const pk = { '#pk': keyAttributes.partition };

/**
 * Opens an account with the initial units, no category and a default tax of 0.
 * @throws RegistryError when the id is malformed or in use
 */
export async function openAccount(database: Database, work: TimedContext, account: string): Promise<void> {
  if (!accountId.test(account)) throw new OperatorError(`The account id "${account}" ${accountIdRule}.`);
  const units = [...initialUnits].map(([code, decimals]) =>
    add(database, keys.unit(account, code), { code, decimals }),
  );
  const own = add(database, keys.account(account), { default_tax: 0, last_category: 0 });
  await refusedAs(`The account ${account} is open already.`, database.transact(work, [own, ...units]));
}

/**
 * An account as it is now.
 * @throws RegistryError when there is no such account
 */
export async function showAccount(database: Database, work: TimedContext, account: string): Promise<Account> {
  const records = await database.query(work, configurationPartition(account));
  const found = readConfiguration(account, records.map(fromAttributes));
  if (found === undefined) throw new OperatorError(noAccount(account));
  return found;
}

/**
 * Sets what creates take when they name no category or tax. What is left out stays; a category of null is none.
 * @throws RegistryError when the account does not exist, or has no such category open
 */
export async function setDefaults(
  database: Database,
  work: TimedContext,
  account: string,
  defaults: { readonly category?: number | null; readonly tax?: number },
): Promise<void> {
  const { category, tax } = defaults;
  const own = change(database, keys.account(account), {
    ...(category !== undefined && { default_category: category }),
    ...(tax !== undefined && { default_tax: tax }),
  });
  const open = typeof category === 'number' ? [requireOpen(database, keys.category(account, category))] : [];
  await database.transact(work, [own, ...open]).catch((error: unknown) => {
    throw explained(error, [noAccount(account), `The account ${account} has no open category ${category}.`]);
  });
}

/**
 * Adds a category under the account's next category id; ids may have gaps.
 * @returns that id
 * @throws RegistryError when there is no such account
 */
export async function addCategory(
  database: Database,
  work: TimedContext,
  account: string,
  name: string,
): Promise<number> {
  const counting = database.update(
    work,
    {
      Key: keyOf(keys.account(account)),
      UpdateExpression: 'ADD #last :one',
      ConditionExpression: isThere,
      ExpressionAttributeNames: { ...pk, '#last': 'last_category' },
      ExpressionAttributeValues: { ':one': toAttribute(1) },
    },
    { idempotent: true },
  );
  const id = Number(fromAttributes(await refusedAs(noAccount(account), counting))['last_category']);
  await database.transact(work, [add(database, keys.category(account, id), { id, name, archived: false })]);
  return id;
}

/** Renames a category; containers show the new name within a minute. @throws RegistryError when there is none */
export async function renameCategory(
  database: Database,
  work: TimedContext,
  account: string,
  id: number,
  name: string,
) {
  const write = change(database, keys.category(account, id), { name });
  await refusedAs(noCategory(account, id), database.transact(work, [write]));
}

/**
 * Archives a category: items keep it, but within a minute none can choose it.
 * @throws RegistryError when there is none, or it is the account's default
 */
export async function archiveCategory(
  database: Database,
  work: TimedContext,
  account: string,
  id: number,
): Promise<void> {
  const write = change(database, keys.category(account, id), { archived: true });
  const notDefault: TransactWriteItem = {
    ConditionCheck: {
      TableName: database.table,
      Key: keyOf(keys.account(account)),
      ConditionExpression: 'attribute_not_exists(#default) OR #default <> :id',
      ExpressionAttributeNames: { '#default': 'default_category' },
      ExpressionAttributeValues: { ':id': toAttribute(id) },
    },
  };
  await database.transact(work, [write, notDefault]).catch((error: unknown) => {
    const isDefault = `Category ${id} is the default of the account ${account}: set another default first.`;
    throw explained(error, [noCategory(account, id), isDefault]);
  });
}

/**
 * Registers a unit. It stays as it is, for items are rounded by it.
 * @param decimals how many decimals `qty` is rounded to in it, 0 to 4
 * @throws RegistryError when the account does not exist, or has the unit already
 */
export async function addUnit(database: Database, work: TimedContext, account: string, code: string, decimals: number) {
  const own: TransactWriteItem = {
    ConditionCheck: {
      TableName: database.table,
      Key: keyOf(keys.account(account)),
      ConditionExpression: isThere,
      ExpressionAttributeNames: pk,
    },
  };
  const unit = add(database, keys.unit(account, code), { code, decimals });
  await database.transact(work, [own, unit]).catch((error: unknown) => {
    throw explained(error, [noAccount(account), `The account ${account} has the unit ${code} already.`]);
  });
}

export const noAccount = (account: string): string => `There is no account ${account}.`;
const noCategory = (account: string, id: number): string => `The account ${account} has no category ${id}.`;

/** Puts a record that must not be there yet. */
const add = (database: Database, key: Key, attributes: JsonObject): TransactWriteItem => ({
  Put: {
    TableName: database.table,
    Item: { ...keyOf(key), ...toAttributes(attributes) },
    ConditionExpression: isNotThere,
    ExpressionAttributeNames: pk,
  },
});

/** Sets attributes of a record that must be there; null removes. The names are this module's, never an operator's text. */
function change(database: Database, key: Key, attributes: JsonObject): TransactWriteItem {
  const all = Object.entries(attributes);
  const set = all.filter(([, value]) => value !== null);
  const remove = all.filter(([, value]) => value === null);
  const parts = [
    ...(set.length > 0 ? [`SET ${set.map(([name]) => `#${name} = :${name}`)}`] : []),
    ...(remove.length > 0 ? [`REMOVE ${remove.map(([name]) => `#${name}`)}`] : []),
  ];
  return {
    Update: {
      TableName: database.table,
      Key: keyOf(key),
      UpdateExpression: parts.join(' '),
      ConditionExpression: isThere,
      ExpressionAttributeNames: { ...pk, ...Object.fromEntries(all.map(([name]) => [`#${name}`, name])) },
      ...(set.length > 0 && {
        ExpressionAttributeValues: Object.fromEntries(set.map(([name, value]) => [`:${name}`, toAttribute(value)])),
      }),
    },
  };
}

/** Requires a category that is there and not archived. */
const requireOpen = (database: Database, key: Key): TransactWriteItem => ({
  ConditionCheck: {
    TableName: database.table,
    Key: keyOf(key),
    ConditionExpression: '#archived = :no',
    ExpressionAttributeNames: { '#archived': 'archived' },
    ExpressionAttributeValues: { ':no': toAttribute(false) },
  },
});

/** Says in words which condition did not hold: the message in the place of the first that failed. */
function explained(error: unknown, messages: readonly string[]): unknown {
  if (!(error instanceof ConditionFailed)) return error;
  return new OperatorError(messages.find((_, index) => error.failed(index)) ?? error.message);
}

async function refusedAs<T>(message: string, write: Promise<T>): Promise<T> {
  return write.catch((error: unknown) => {
    throw error instanceof ConditionFailed ? new OperatorError(message) : error;
  });
}
