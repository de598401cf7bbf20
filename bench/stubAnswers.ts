import { marshall } from '@aws-sdk/util-dynamodb';
import { createToken } from '../lib/access/tokenFormat.ts';
import { timedContext } from '../lib/catalog/requestContext.ts';
import { initialUnits } from '../lib/item/account.ts';
import { newAccountRecord, newCategoryRecord, newUnitRecord } from '../lib/store/records/accountRecord.ts';
import { newItemRecord } from '../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../lib/store/records/keys.ts';
import { newTokenRecord } from '../lib/store/records/tokenRecord.ts';
import { defaultFields } from '../test/support/items/sampleItem.ts';
import { testCaller } from '../test/support/lambda/gatewayEvent.ts';
import { stubAccount, tableName } from './programs.ts';
import type { StubAnswer } from './stubNetwork.ts';

const item = (id: number) => {
  const context = { ...timedContext(0), account: stubAccount, user: 'user-1', writeId: 'write-1' };
  const identifiers = { name: `Chair ${id}`, sku: `S${id}`, pn: `P${id}` };
  return marshall(
    newItemRecord(context, { ...defaultFields, ...identifiers, id, revision: 1, createdAt: 1_700_000_000_000 }),
  );
};

const listEntry = (id: number) =>
  marshall({ ...keys.item(stubAccount, id), ...listKey(stubAccount, id, `chair ${id}`), active: true });

const configuration = [
  newAccountRecord(stubAccount),
  newCategoryRecord(stubAccount, 1, 'General'),
  ...[...initialUnits].map(([unit, decimals]) => newUnitRecord(stubAccount, unit, decimals)),
].map((record) => marshall(record));

const refusal = { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', message: 'Refused' };
const token = newTokenRecord(createToken(), testCaller(stubAccount, { expiresAt: 4_102_444_800 }));
const page = Array.from({ length: 51 }, (_, index) => index + 1);

/** What DynamoDB would answer to the messages of all operations. */
export const stubAnswers: readonly StubAnswer[] = [
  { operation: 'Query', body: '"IndexName"', answer: { Count: page.length, Items: page.map(listEntry) } },
  { operation: 'Query', answer: { Count: configuration.length, Items: configuration } },
  { operation: 'BatchGetItem', answer: { Responses: { [tableName]: page.slice(0, 50).map(item) } } },
  { operation: 'GetItem', body: '"TOKEN#', answer: { Item: marshall(token) } },
  { operation: 'GetItem', answer: { Item: item(1) } },
  {
    operation: 'UpdateItem',
    body: '#COUNTER',
    answer: { Attributes: marshall({ ...keys.counter(stubAccount), last: 10 }) },
  },
  // The first write of an update expects the sku to be the item's own already. Only a new one begins with this letter.
  { operation: 'UpdateItem', body: '{"S":"T', status: 400, answer: { ...refusal, Item: item(1) } },
  { operation: 'UpdateItem', answer: { Attributes: item(1) } },
  { operation: 'PutItem', answer: {} },
  { operation: 'TransactWriteItems', answer: {} },
].map((each) => ({ ...each, answer: JSON.stringify(each.answer) }));
