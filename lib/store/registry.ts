import type { Caller } from '../access/caller.ts';
import { createToken } from '../access/tokens.ts';
import { initialUnits } from '../item/account.ts';
import type { Work } from '../item/catalog.ts';
import type { JsonObject } from '../item/json.ts';
import { fromAttributes, toAttributes } from './attributes.ts';
import type { Database } from './database.ts';
import { keyOf } from './database.ts';
import { Refused } from './failures.ts';
import type { Key } from './keys.ts';
import { keys } from './keys.ts';
import { tokenRecord } from './tokenRecords.ts';

/** What an operator asked for cannot be done; the message is one sentence for a person. */
export class RegistryError extends Error {
  override readonly name = 'RegistryError';
}

/** Account ids are parts of keys, so they hold nothing that separates the parts. */
const accountId = /^[a-z0-9][a-z0-9-]{0,62}$/;

/**
 * Opens an account with the initial units, no category and a default tax of 0.
 * @throws RegistryError when the id is malformed or in use
 */
export async function openAccount(database: Database, work: Work, account: string): Promise<void> {
  if (!accountId.test(account))
    throw new RegistryError(
      `An account id is 1 to 63 lower-case letters, digits and hyphens, which ${account} is not.`,
    );
  const records = [
    create(database, keys.account(account), { default_tax: 0, last_category: 0 }),
    ...[...initialUnits].map(([code, decimals]) => create(database, keys.unit(account, code), { code, decimals })),
  ];
  await refusedAs(`Account ${account} is open already.`, database.transact(work, records));
}

/**
 * Sets what creates take when they name no category or tax. What is left out stays; a category of null is none.
 * @throws RegistryError when the account or the category does not exist
 */
export async function setDefaults(
  database: Database,
  work: Work,
  account: string,
  defaults: { readonly category?: number; readonly tax?: number },
): Promise<void> {
  const { category, tax } = defaults;
  if (category !== undefined)
    await requireRecord(
      database,
      work,
      keys.category(account, category),
      `Account ${account} has no category ${category}.`,
    );
  await change(database, work, keys.account(account), `There is no account ${account}.`, {
    ...(category !== undefined && { default_category: category }),
    ...(tax !== undefined && { default_tax: tax }),
  });
}

/**
 * Adds a category under the account's next category id.
 * @returns that id
 * @throws RegistryError when there is no such account
 */
export async function addCategory(database: Database, work: Work, account: string, name: string): Promise<number> {
  const own = await refusedAs(
    `There is no account ${account}.`,
    database.update(
      work,
      {
        Key: keyOf(keys.account(account)),
        UpdateExpression: 'ADD #last :one',
        ConditionExpression: 'attribute_exists(#pk)',
        ExpressionAttributeNames: { '#last': 'last_category', '#pk': 'pk' },
        ExpressionAttributeValues: { ':one': { N: '1' } },
      },
      { repeatable: true },
    ),
  );
  const id = Number(fromAttributes(own)['last_category']);
  const { Put } = create(database, keys.category(account, id), { id, name, archived: false });
  await database.put(work, Put);
  return id;
}

/** Archives a category: items keep it, but none can choose it. @throws RegistryError when there is no such category */
export async function archiveCategory(database: Database, work: Work, account: string, id: number): Promise<void> {
  await change(database, work, keys.category(account, id), `Account ${account} has no category ${id}.`, {
    archived: true,
  });
}

/**
 * Registers a unit. A unit stays as it is, for items were rounded by it.
 * @param decimals how many decimals `qty` is rounded to in it, 0 to 4
 * @throws RegistryError when the account has the unit already, or does not exist
 */
export async function addUnit(database: Database, work: Work, account: string, code: string, decimals: number) {
  await requireRecord(database, work, keys.account(account), `There is no account ${account}.`);
  const { Put } = create(database, keys.unit(account, code), { code, decimals });
  await refusedAs(`Account ${account} has the unit ${code} already.`, database.put(work, Put));
}

/**
 * Issues an access token.
 * @returns the token, which is not stored and cannot be shown again
 */
export async function issueToken(database: Database, work: Work, caller: Caller): Promise<string> {
  await requireRecord(database, work, keys.account(caller.account), `There is no account ${caller.account}.`);
  const token = createToken();
  await database.put(work, { Item: tokenRecord(token, caller) });
  return token;
}

const create = (database: Database, key: Key, attributes: JsonObject) => ({
  Put: {
    TableName: database.table,
    Item: { ...keyOf(key), ...toAttributes(attributes) },
    ConditionExpression: 'attribute_not_exists(#pk)',
    ExpressionAttributeNames: { '#pk': 'pk' },
  },
});

/** Sets attributes of a record that must exist. */
async function change(database: Database, work: Work, key: Key, missing: string, attributes: JsonObject) {
  const names = Object.keys(attributes);
  if (names.length === 0) return;
  const update = database.update(
    work,
    {
      Key: keyOf(key),
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`,
      ConditionExpression: 'attribute_exists(#pk)',
      ExpressionAttributeNames: Object.fromEntries([['#pk', 'pk'], ...names.map((name) => [`#${name}`, name])]),
      ExpressionAttributeValues: Object.fromEntries(
        Object.entries(toAttributes(attributes)).map(([name, value]) => [`:${name}`, value]),
      ),
    },
    { repeatable: true },
  );
  await refusedAs(missing, update);
}

async function requireRecord(database: Database, work: Work, key: Key, missing: string): Promise<void> {
  if ((await database.get(work, key)) === undefined) throw new RegistryError(missing);
}

/** Says in words what a condition that did not hold means. */
async function refusedAs<T>(message: string, write: Promise<T>): Promise<T> {
  try {
    return await write;
  } catch (error) {
    throw error instanceof Refused ? new RegistryError(message) : error;
  }
}
