import type { TransactWriteCommandInput } from '@aws-sdk/lib-dynamodb';
import { describe, expect, it } from 'vitest';
import type { IdempotencyKey } from '../../lib/catalog/catalogStore.ts';
import type { NewItem } from '../../lib/item/item.ts';
import { AccountCache } from '../../lib/store/catalog/accountCache.ts';
import { IdLease } from '../../lib/store/catalog/idLease.ts';
import { insertItem } from '../../lib/store/catalog/insertItem.ts';
import { modifyItem } from '../../lib/store/catalog/modifyItem.ts';
import { Database, type DocumentSender } from '../../lib/store/database/database.ts';
import { putIdempotencyRecord } from '../../lib/store/records/idempotencyRecord.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import { change } from '../support/items/itemChange.ts';
import { sampleAccount } from '../support/items/sampleAccount.ts';
import { configuration } from '../support/standIns/scripted.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import { itemFields, testCall } from '../support/table/testTable.ts';

type TransactItem = NonNullable<TransactWriteCommandInput['TransactItems']>[number];

/** Every code that DynamoDB documents for a part of a cancelled transaction. */
const codes = [
  'None',
  'ConditionalCheckFailed',
  'TransactionConflict',
  'ThrottlingError',
  'ProvisionedThroughputExceeded',
  'ItemCollectionSizeLimitExceeded',
  'ValidationError',
] as const;
type Code = (typeof codes)[number];

const vectors = (length: number): Code[][] =>
  length === 0 ? [[]] : vectors(length - 1).flatMap((vector) => codes.map((code) => [...vector, code]));

/** Combinations without any reason are not a cancellation. */
const cancellations = (length: number) => vectors(length).filter((vector) => vector.some((code) => code !== 'None'));

const account = 'account-1';
const stored: NewItem = { ...itemFields({ sku: 'old' }), id: 1, revision: 3, createdAt: 1 };
const storedRecord = newItemRecord(testCall(account), stored);
const key: IdempotencyKey = { key: 'k', sent: { name: 'f' } };
const keyRecord = putIdempotencyRecord(testCall(account), key, stored, Date.now()).Put.Item;

/** The record that DynamoDB would return for a part whose condition failed. */
function imageOf(part: TransactItem) {
  const sort = (part.Put?.Item ?? part.Update?.Key ?? part.Delete?.Key)?.['sk'];
  if (sort === 'REQUEST') return keyRecord;
  return sort === 'GUARD' ? { item_id: 9 } : storedRecord;
}

/** A table where the first transaction is cancelled for the given reasons, and everything else succeeds. */
function cancelling(vector: readonly Code[]): { database: Database; transactions: () => number } {
  let transactions = 0;
  const send = async (command: { constructor: { name: string }; input: TransactWriteCommandInput }) => {
    switch (command.constructor.name) {
      case 'QueryCommand':
        return configuration(account);
      case 'GetCommand':
        return { Item: storedRecord };
      case 'UpdateCommand':
        if (!('ConditionExpression' in command.input)) return { Attributes: { last: 10 } };
        throw sdkError('ConditionalCheckFailedException', 400, { Item: storedRecord });
    }
    transactions += 1;
    if (transactions > 1) return {};
    const parts = command.input.TransactItems ?? [];
    const CancellationReasons = vector.map((code, index) => ({
      Code: code,
      ...(code === 'ConditionalCheckFailed' && { Item: imageOf(parts[index] ?? {}) }),
    }));
    throw sdkError('TransactionCanceledException', 400, { CancellationReasons });
  };
  const clock = { now: Date.now, random: () => 0, sleep: async () => undefined };
  return {
    database: new Database({ send: send as unknown as DocumentSender['send'] }, 't', clock),
    transactions: () => transactions,
  };
}

/** The outcome of a request, in a word. */
const outcomeOf = async (request: Promise<{ replayed?: boolean }>): Promise<string> =>
  request.then(
    ({ replayed }) => (replayed === true ? 'replayed' : 'done'),
    (error: { code?: string }) => error.code ?? 'INTERNAL_ERROR',
  );

const isPassing = (code: Code | undefined) =>
  code === 'TransactionConflict' || code === 'ThrottlingError' || code === 'ProvisionedThroughputExceeded';
const isDefect = (code: Code) => code === 'ItemCollectionSizeLimitExceeded' || code === 'ValidationError';
const failed = (code: Code | undefined) => code === 'ConditionalCheckFailed';

/** The order in which the reasons of a cancelled transaction are read. `key` is the position of the key's record. */
function expected(vector: readonly Code[], place: { key?: number } = {}): string {
  if (place.key !== undefined && failed(vector[place.key])) return 'replayed';
  if (vector.some(isPassing)) return 'done';
  if (vector.some(isDefect)) return 'INTERNAL_ERROR';
  return failed(vector[0]) ? 'done' : 'ITEM_ALREADY_EXISTS';
}

describe('every combination of cancellation reasons gives the documented outcome', () => {
  const create = (database: Database, fields: Parameters<typeof itemFields>[0], withKey?: IdempotencyKey) =>
    outcomeOf(insertItem(database.for(testCall(account)), new IdLease(), itemFields(fields), withKey));

  it.each([
    ['a create with one identifier', 2, { sku: 'S' }, undefined],
    ['a create with two identifiers', 3, { sku: 'S', pn: 'P' }, undefined],
    ['a create with a key', 2, {}, key],
    ['a create with an identifier and a key', 3, { sku: 'S' }, key],
  ] as const)('of %s', async (_, length, fields, withKey) => {
    for (const vector of cancellations(length)) {
      const { database, transactions } = cancelling(vector);
      const outcome = await create(database, fields, withKey);
      const want = expected(vector, withKey === undefined ? {} : { key: 1 });
      expect([vector, outcome, transactions()]).toEqual([vector, want, want === 'done' ? 2 : 1]);
    }
  });

  it.each([
    ['an identifier that is taken', 2, { pn: 'new' }],
    ['an identifier that is replaced', 3, { sku: 'new' }],
  ] as const)('of an update with %s', async (_, length, fields) => {
    for (const vector of cancellations(length)) {
      const { database } = cancelling(vector);
      const context = testCall(account);
      const modification = { id: 1, change: change(fields), revisions: undefined, account: sampleAccount };
      const outcome = await outcomeOf(
        modifyItem(database.for(context), new AccountCache(), modification).then(() => ({})),
      );
      // If only the deletion of another item's guard was refused, the update is done without it.
      const isForeign =
        !vector.some((code) => isPassing(code) || isDefect(code)) && !failed(vector[0]) && !failed(vector[1]);
      expect([vector, outcome]).toEqual([vector, isForeign ? 'done' : expected(vector)]);
    }
  });
});
