/** OneTable, with its own way of keeping values unique: a record for each, written in the same transaction. */

import { Table } from 'dynamodb-onetable';
import { Dynamo } from 'dynamodb-onetable/Dynamo';
import { account, client, digits, idOf, itemFields, lastWrite, tableName } from './setup.js';

const required = (type) => ({ type, required: true });

const table = new Table({
  client: new Dynamo({ client }),
  name: tableName,
  partial: true,
  schema: {
    format: 'onetable:1.1.0',
    version: '0.0.1',
    indexes: {
      primary: { hash: 'pk', sort: 'sk' },
      byName: { hash: 'list_pk', sort: 'list_sk', name: 'by_name', project: 'keys' },
    },
    models: {
      Item: {
        pk: { type: String, value: 'ACCOUNT#${account}#ITEMS' },
        sk: { type: String, value: 'ITEM#${id:16:0}' },
        list_pk: { type: String, value: 'ACCOUNT#${account}#NAMES' },
        list_sk: required(String),
        account: required(String),
        id: required(Number),
        name: required(String),
        type: required(String),
        category: { type: Number },
        value: required(Number),
        qty: required(Number),
        unit: required(String),
        description: { type: String },
        active: required(Boolean),
        cost: required(Number),
        tax: required(Number),
        sku: { type: String, unique: true, scope: '${account}' },
        pn: { type: String, unique: true, scope: '${account}' },
        metadata: required(Object),
        revision: required(Number),
        created_at: required(Number),
        written_by: required(String),
        written_stamp: required(String),
        written_at: required(Number),
      },
    },
    params: { timestamps: false },
  },
});
const Item = table.getModel('Item');

const fields = (number) => {
  const item = itemFields(number);
  return { account, ...item, list_sk: `chair ${number}\t${digits(item.id)}` };
};
const change = (number, properties, params = {}) =>
  Item.update(
    { account, id: idOf(number), ...properties, ...lastWrite() },
    { exists: true, ...params, add: { revision: 1 } },
  );

export const create = (number) => Item.create(fields(number));
export const createIdentifiers = (number) => Item.create({ ...fields(number), sku: `S${number}`, pn: `P${number}` });
export const update = (number) => change(number, { value: 13.5, description: 'Oak' });
export const updateUnchanged = (number) =>
  change(number, { value: 13.5, sku: `S${idOf(number)}`, pn: `P${idOf(number)}` });
export const updateChanged = (number) => change(number, { sku: `T${number}` });
export const updateMetadata = (number) =>
  change(number, {}, { set: { 'metadata.color': 'black', 'metadata.legs': 4 } });
export const getItem = (number) => Item.get({ account, id: idOf(number) }, { consistent: true });
