/** dynamodb-toolbox, with a guard entity beside the item, and transactions that write them together. */

import { any, boolean, Entity, item, number, record, string, Table } from 'dynamodb-toolbox';
import { GetItemCommand } from 'dynamodb-toolbox/entity/actions/get';
import { PutItemCommand } from 'dynamodb-toolbox/entity/actions/put';
import { DeleteTransaction } from 'dynamodb-toolbox/entity/actions/transactDelete';
import { PutTransaction } from 'dynamodb-toolbox/entity/actions/transactPut';
import { UpdateTransaction } from 'dynamodb-toolbox/entity/actions/transactUpdate';
import { execute } from 'dynamodb-toolbox/entity/actions/transactWrite';
import { $add, UpdateItemCommand } from 'dynamodb-toolbox/entity/actions/update';
import { account, digits, documentClient, idOf, itemFields, lastWrite, tableName } from './setup.js';

const table = new Table({
  documentClient,
  name: tableName,
  partitionKey: { name: 'pk', type: 'string' },
  sortKey: { name: 'sk', type: 'string' },
  indexes: {
    by_name: {
      type: 'global',
      partitionKey: { name: 'list_pk', type: 'string' },
      sortKey: { name: 'list_sk', type: 'string' },
    },
  },
});

const Item = new Entity({
  name: 'Item',
  table,
  timestamps: false,
  schema: item({
    account: string().key(),
    id: number().key(),
    list_pk: string().optional(),
    list_sk: string().optional(),
    name: string(),
    type: string(),
    category: number().optional(),
    value: number(),
    qty: number(),
    unit: string(),
    description: string().optional(),
    active: boolean(),
    cost: number(),
    tax: number(),
    sku: string().optional(),
    pn: string().optional(),
    metadata: record(string(), any()),
    revision: number(),
    created_at: number(),
    written_by: string(),
    written_stamp: string(),
    written_at: number(),
  }),
  computeKey: ({ account, id }) => ({ pk: `ACCOUNT#${account}#ITEMS`, sk: `ITEM#${digits(id)}` }),
});

const Guard = new Entity({
  name: 'Guard',
  table,
  timestamps: false,
  schema: item({ account: string().key(), kind: string().key(), code: string().key(), item_id: number() }),
  computeKey: ({ account, kind, code }) => ({ pk: `ACCOUNT#${account}#${kind}#${code}`, sk: 'GUARD' }),
});

const isNew = { condition: { attr: 'id', exists: false } };
const isFree = { condition: { attr: 'item_id', exists: false } };
const isThere = { condition: { attr: 'id', exists: true }, returnValues: 'ALL_NEW' };

const fields = (number) => {
  const created = itemFields(number);
  const place = { list_pk: `ACCOUNT#${account}#NAMES`, list_sk: `chair ${number}\t${digits(created.id)}` };
  return { account, ...place, ...created };
};
const key = (number) => ({ account, id: idOf(number) });
const changed = (number, properties) => ({ ...key(number), ...properties, ...lastWrite(), revision: $add(1) });
const change = (number, properties, options = isThere) =>
  Item.build(UpdateItemCommand).item(changed(number, properties)).options(options).send();
const putGuard = (kind, code, item_id) =>
  Guard.build(PutTransaction).item({ account, kind, code, item_id }).options(isFree);

export const create = (number) => Item.build(PutItemCommand).item(fields(number)).options(isNew).send();
export const createIdentifiers = (number) => {
  const created = { ...fields(number), sku: `S${number}`, pn: `P${number}` };
  return execute(
    Item.build(PutTransaction).item(created).options(isNew),
    putGuard('SKU', created.sku, created.id),
    putGuard('PN', created.pn, created.id),
  );
};
export const update = (number) => change(number, { value: 13.5, description: 'Oak' });

/** Which identifiers change is known from the item as it is; it must then still be so. */
async function modify(number, properties) {
  const { Item: stored } = await getItem(number);
  const condition = { attr: 'revision', eq: stored.revision };
  if (properties.sku === stored.sku && (properties.pn ?? stored.pn) === stored.pn)
    return change(number, properties, { condition, returnValues: 'ALL_NEW' });
  return execute(
    Item.build(UpdateTransaction).item(changed(number, properties)).options({ condition }),
    putGuard('SKU', properties.sku, stored.id),
    Guard.build(DeleteTransaction).key({ account, kind: 'SKU', code: stored.sku }),
  );
}

export const updateUnchanged = (number) =>
  modify(number, { value: 13.5, sku: `S${idOf(number)}`, pn: `P${idOf(number)}` });
export const updateChanged = (number) => modify(number, { sku: `T${number}` });
export const updateMetadata = (number) => change(number, { metadata: { color: 'black', legs: 4 } });
export const getItem = (number) => Item.build(GetItemCommand).key(key(number)).options({ consistent: true }).send();
