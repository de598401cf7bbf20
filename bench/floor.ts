/**
 * The fewest commands that keep the same promises, written out by hand: the same records, conditions and guards, ids
 * leased by ten, updates without a read before them. Nothing is validated, retried, bounded in time or resolved after a
 * lost answer.
 */
import { createHash, randomUUID } from 'node:crypto';
import { ConditionalCheckFailedException, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { itemOf as idOf } from './turn.ts';

const client = DynamoDBDocumentClient.from(new DynamoDBClient());
const TableName = process.env['CATALOG_TABLE'];
const account = `ACCOUNT#${process.env['BENCH_ACCOUNT']}`;

const digits = (id: number): string => String(id).padStart(16, '0');
const ALL_OLD = 'ALL_OLD';
const itemKey = (id: number) => ({ pk: `${account}#ITEMS`, sk: `ITEM#${digits(id)}` });
const guardKey = (kind: string, text: string) => ({ pk: `${account}#${kind}#${text}`, sk: 'GUARD' });

/** What the functions know of an account; needed once in a container. */
const configuration = () =>
  client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': 'pk' },
      ExpressionAttributeValues: { ':pk': account },
      ConsistentRead: true,
    }),
  );

let next = 1;
let last = 0;

async function leaseId(): Promise<number> {
  if (last === 0) await configuration();
  if (next > last) {
    const { Attributes } = await client.send(
      new UpdateCommand({
        TableName,
        Key: { pk: `${account}#COUNTER`, sk: 'ITEM' },
        UpdateExpression: 'ADD #last :size',
        ExpressionAttributeNames: { '#last': 'last' },
        ExpressionAttributeValues: { ':size': 10 },
        ReturnValues: 'ALL_NEW',
      }),
    );
    last = Attributes?.['last'];
    next = last - 9;
  }
  return next++;
}

const record = (id: number, number: number) => ({
  ...itemKey(id),
  list_pk: `${account}#NAMES`,
  list_sk: `chair ${number}\t${digits(id)}`,
  ...{ id, name: `Chair ${number}`, type: 'product', category: 1, value: 12.5, qty: 1, unit: 'un', active: true },
  ...{ cost: 0, tax: 0, metadata: {}, revision: 1, created_at: Date.now() },
  ...{ written_by: 'user-1', written_stamp: randomUUID(), written_at: Date.now() },
});

const isNew = {
  ConditionExpression: 'attribute_not_exists(#pk)',
  ExpressionAttributeNames: { '#pk': 'pk' },
  ReturnValuesOnConditionCheckFailure: ALL_OLD,
} as const;

const guardCondition = (id: number) =>
  ({
    ConditionExpression: 'attribute_not_exists(#pk) OR #item = :item',
    ExpressionAttributeNames: { '#pk': 'pk', '#item': 'item_id' },
    ExpressionAttributeValues: { ':item': id },
    ReturnValuesOnConditionCheckFailure: ALL_OLD,
  }) as const;

const putGuard = (id: number, kind: string, text: string) => ({
  Put: { TableName, Item: { ...guardKey(kind, text), item_id: id }, ...guardCondition(id) },
});

function putKey(number: number, item: object) {
  const seconds = Math.floor(Date.now() / 1_000);
  const hash = (value: object) => createHash('sha256').update(JSON.stringify(value)).digest('hex');
  return {
    Put: {
      TableName,
      Item: {
        pk: `${account}#IDEMPOTENCY#${hash(['user-1', 'createItem', `key-${number}`])}`,
        sk: 'REQUEST',
        fingerprint: hash({ name: `Chair ${number}`, value: 12.5 }),
        expires_at: seconds + 24 * 60 * 60,
        item,
      },
      ConditionExpression: 'attribute_not_exists(#pk) OR #expiry <= :now',
      ExpressionAttributeNames: { '#pk': 'pk', '#expiry': 'expires_at' },
      ExpressionAttributeValues: { ':now': seconds },
      ReturnValuesOnConditionCheckFailure: ALL_OLD,
    } as const,
  };
}

function transact(id: number, number: number, { withKey = false, withGuards = false }) {
  const identifiers = withGuards ? { sku: `S${number}`, pn: `P${number}` } : {};
  const Item = { ...record(id, number), ...identifiers };
  const TransactItems = [
    { Put: { TableName, Item, ...isNew } },
    ...(withKey ? [putKey(number, Item)] : []),
    ...(withGuards ? [putGuard(id, 'SKU', `S${number}`), putGuard(id, 'PN', `P${number}`)] : []),
  ];
  return client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
}

export const create = async (number: number) =>
  client.send(new PutCommand({ TableName, Item: record(await leaseId(), number), ...isNew }));
export const createIdentifiers = async (number: number) => transact(await leaseId(), number, { withGuards: true });
export const createKeyed = async (number: number) => transact(await leaseId(), number, { withKey: true });
export const createKeyedIdentifiers = async (number: number) =>
  transact(await leaseId(), number, { withKey: true, withGuards: true });

/** An update with these expressions and those that all updates have: revision, last write, existence, fence. */
const updateInput = (id: number, set: string, condition: string, names: object, values: object, now = Date.now()) => ({
  TableName,
  Key: itemKey(id),
  UpdateExpression: `SET #revision = #revision + :one, ${set}#by = :by, #stamp = :stamp, #at = :at`,
  ConditionExpression: `attribute_exists(#pk) AND (attribute_not_exists(#closed) OR #closed < :at)${condition}`,
  ExpressionAttributeNames: {
    '#pk': 'pk',
    '#revision': 'revision',
    '#by': 'written_by',
    '#stamp': 'written_stamp',
    '#at': 'written_at',
    '#closed': 'closed_until',
    ...names,
  },
  ExpressionAttributeValues: { ':one': 1, ':by': 'user-1', ':stamp': randomUUID(), ':at': now, ...values },
  ReturnValuesOnConditionCheckFailure: ALL_OLD as typeof ALL_OLD,
});

const send = (input: ReturnType<typeof updateInput>) =>
  client.send(new UpdateCommand({ ...input, ReturnValues: 'ALL_NEW' }));

export const update = (number: number) =>
  send(
    updateInput(
      idOf(number),
      '#value = :value, #description = :description, ',
      '',
      { '#value': 'value', '#description': 'description' },
      { ':value': 13.5, ':description': 'Oak' },
    ),
  );

export const updateUnchanged = (number: number) =>
  send(
    updateInput(
      idOf(number),
      '#value = :value, ',
      ' AND #sku = :sku AND #pn = :pn',
      { '#value': 'value', '#sku': 'sku', '#pn': 'pn' },
      { ':value': 13.5, ':sku': `S${idOf(number)}`, ':pn': `P${idOf(number)}` },
    ),
  );

export const updateMetadata = (number: number) =>
  send(
    updateInput(
      idOf(number),
      '#metadata.#color = :color, #metadata.#legs = :legs, ',
      ' AND size(#metadata) <= :room',
      { '#metadata': 'metadata', '#color': 'color', '#legs': 'legs' },
      { ':color': 'black', ':legs': 4, ':room': 98 },
    ),
  );

/** The first write expects the identifier to be the item's own already; its refusal brings the item. */
export async function updateChanged(number: number) {
  const id = idOf(number);
  const sku = `T${number}`;
  const names = { '#sku': 'sku' };
  try {
    return await send(updateInput(id, '', ' AND #sku = :sku', names, { ':sku': sku }));
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException) || error.Item === undefined) throw error;
    const stored = unmarshall(error.Item);
    const values = { ':sku': sku, ':revision': stored['revision'] };
    const Update = updateInput(id, '#sku = :sku, ', ' AND #revision = :revision', names, values);
    const freed = { Delete: { TableName, Key: guardKey('SKU', stored['sku']), ...guardCondition(id) } };
    const TransactItems = [{ Update }, putGuard(id, 'SKU', sku), freed];
    return client.send(new TransactWriteCommand({ TransactItems, ClientRequestToken: randomUUID() }));
  }
}

export const getItem = (number: number) =>
  client.send(new GetCommand({ TableName, Key: itemKey(idOf(number)), ConsistentRead: true }));

export async function listItems() {
  const { Items = [] } = await client.send(
    new QueryCommand({
      TableName,
      IndexName: 'by_name',
      KeyConditionExpression: '#list = :list',
      FilterExpression: '#active = :active',
      ExpressionAttributeNames: { '#list': 'list_pk', '#active': 'active' },
      ExpressionAttributeValues: { ':list': `${account}#NAMES`, ':active': true },
      Limit: 51,
    }),
  );
  const Keys = Items.slice(0, 50).map(({ pk, sk }) => ({ pk, sk }));
  return client.send(new BatchGetCommand({ RequestItems: { [String(TableName)]: { Keys, ConsistentRead: true } } }));
}

/** What the authorizer reads of a token. */
export const authorizer = () =>
  client.send(new GetCommand({ TableName, Key: { pk: 'TOKEN#0', sk: 'TOKEN' }, ConsistentRead: true }));
