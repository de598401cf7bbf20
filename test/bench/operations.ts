import { marshall } from '@aws-sdk/util-dynamodb';
import type { FunctionName } from '../../infra/constructs/functionAccess.ts';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import { keys, listKey } from '../../lib/store/records/keys.ts';
import { newTokenRecord } from '../../lib/store/records/tokenRecord.ts';
import { gatewayEvent } from '../support/gatewayEvent.ts';
import { testCaller } from '../support/proxyEvent.ts';
import { defaultFields } from '../support/sampleItem.ts';
import type { FunctionRequest } from './child/job.ts';
import { placeholders } from './child/job.ts';
import type { StubAnswer } from './child/stubNetwork.ts';
import { configuration } from './filledTable.ts';

const { number, id } = placeholders;

interface Operation {
  readonly title: string;
  readonly function: FunctionName;
  /** The body of the request; left out: it has none. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it is of one item, of those that are there to be updated. */
  readonly ofItem?: boolean;
}

const create = { name: `Chair ${number}`, value: 12.5 };
const identifiers = { sku: `S${number}`, pn: `P${number}` };
const key = { 'Idempotency-Key': `key-${number}` };
const update = { function: 'updateItem', ofItem: true } as const;

/** What is asked of the service, and of those beside it. Items to be updated were created by `createIdentifiers`. */
export const operations = {
  create: { title: 'create', function: 'createItem', body: create },
  createIdentifiers: {
    title: 'create with sku and pn',
    function: 'createItem',
    body: { ...create, ...identifiers },
  },
  createKeyed: { title: 'create with Idempotency-Key', function: 'createItem', body: create, headers: key },
  createKeyedIdentifiers: {
    title: 'create with sku, pn and Idempotency-Key',
    function: 'createItem',
    body: { ...create, ...identifiers },
    headers: key,
  },
  update: { title: 'update of two fields', ...update, body: { value: 13.5, description: 'Oak' } },
  updateUnchanged: {
    title: 'update with unchanged sku and pn',
    ...update,
    body: { value: 13.5, sku: `S${id}`, pn: `P${id}` },
  },
  updateChanged: { title: 'update that changes the sku', ...update, body: { sku: `T${number}` } },
  updateMetadata: { title: 'merge into metadata', ...update, body: { metadata: { color: 'black', legs: 4 } } },
  getItem: { title: 'read an item', function: 'getItem', ofItem: true },
  listItems: { title: 'list 50 items', function: 'listItems' },
  getCatalog: { title: 'get reference data', function: 'getCatalog' },
  authorizer: { title: 'authorize a token of this service', function: 'authorizer' },
} as const satisfies Record<string, Operation>;

export type OperationName = keyof typeof operations;

/** The operations of a function. */
export const operationsOf = (name: FunctionName): OperationName[] =>
  (Object.keys(operations) as OperationName[]).filter((operation) => operations[operation].function === name);

const bodyOf = ({ body }: Operation): string | null => (body === undefined ? null : JSON.stringify(body));

/**
 * The request of an operation to its function, as API Gateway passes it on.
 * @param token what is sent to the authorizer
 */
export function functionRequest(name: OperationName, bundle: string, account: string, token: string): FunctionRequest {
  if (name === 'authorizer') return { bundle, event: JSON.stringify(authorizerEvent(token)), status: undefined };
  const operation: Operation = operations[name];
  const event = gatewayEvent({
    caller: testCaller(account, { expiresAt: Math.floor(Date.now() / 1_000) + 24 * 60 * 60 }),
    body: bodyOf(operation),
    headers: operation.headers ?? {},
    id: operation.ofItem === true ? id : undefined,
  });
  return { bundle, event: JSON.stringify(event), status: operation.function === 'createItem' ? 201 : 200 };
}

const authorizerEvent = (token: string) => ({
  type: 'TOKEN',
  methodArn: 'arn:aws:execute-api:us-east-1:1:api/live/POST/items',
  authorizationToken: `Bearer ${token}`,
});

/** A token of our form, for a stub that knows any. */
export const sampleToken = createToken();

/** What DynamoDB would answer to the messages of all operations, be it in a cold container or a warm one. */
export function stubAnswers(account: string, pageSize = 50): StubAnswer[] {
  const context = { ...timedContext(0), account, user: 'user-1', writeId: 'write-1' };
  const item = (itemId: number) =>
    newItemRecord(context, {
      ...defaultFields,
      name: `Chair ${itemId}`,
      sku: `S${itemId}`,
      pn: `P${itemId}`,
      id: itemId,
      revision: 1,
      createdAt: 1_700_000_000_000,
    });
  const ids = Array.from({ length: pageSize + 1 }, (_, index) => index + 1);
  const json = (value: object) => JSON.stringify(value);
  const found = (records: object[]) => json({ Count: records.length, Items: records.map((each) => marshall(each)) });
  const refusal = { __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException', message: 'Refused' };
  return [
    { operation: 'Query', body: '"IndexName"', answer: found(ids.map((each) => listEntry(account, each))) },
    { operation: 'Query', answer: found(configuration(account)) },
    {
      operation: 'BatchGetItem',
      answer: json({ Responses: { catalog: ids.slice(0, pageSize).map((each) => marshall(item(each))) } }),
    },
    { operation: 'GetItem', body: '"TOKEN#', answer: json({ Item: marshall(tokenRecord(account)) }) },
    { operation: 'GetItem', answer: json({ Item: marshall(item(1)) }) },
    {
      operation: 'UpdateItem',
      body: '#COUNTER',
      answer: json({ Attributes: marshall({ ...keys.counter(account), last: 10 }) }),
    },
    // The first write of an update expects the sku to be the item's own already. Only a new one begins with this letter.
    { operation: 'UpdateItem', body: '{"S":"T', status: 400, answer: json({ ...refusal, Item: marshall(item(1)) }) },
    { operation: 'UpdateItem', answer: json({ Attributes: marshall(item(1)) }) },
    { operation: 'PutItem', answer: '{}' },
    { operation: 'TransactWriteItems', answer: '{}' },
  ];
}

const listEntry = (account: string, itemId: number) => ({
  ...keys.item(account, itemId),
  ...listKey(account, itemId, `chair ${itemId}`),
  active: true,
});

const tokenRecord = (account: string) => newTokenRecord(sampleToken, testCaller(account, { expiresAt: 4_102_444_800 }));

/** The answers of a table that the functions may not use: every request fails, is answered 500 and logged with its cause. */
export const deniedAnswers: readonly StubAnswer[] = ['Query', 'GetItem', 'UpdateItem'].map((operation) => ({
  operation,
  status: 400,
  answer: '{"__type":"com.amazon.coral.service#AccessDeniedException","message":"Denied"}',
}));
