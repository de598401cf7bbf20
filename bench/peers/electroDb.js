/** ElectroDB, with a guard entity beside the item, both in a service whose transactions write them together. */

import { Entity, Service } from 'electrodb';
import { account, documentClient as client, idOf, itemFields, lastWrite, tableName as table } from './setup.js';

const text = { type: 'string' };
const number_ = { type: 'number' };

const item = new Entity(
  {
    model: { entity: 'item', version: '1', service: 'catalog' },
    attributes: {
      account: { type: 'string', required: true },
      id: { type: 'number', required: true, padding: { length: 16, char: '0' } },
      listed: { type: 'string', required: true },
      name: text,
      type: text,
      category: number_,
      value: number_,
      qty: number_,
      unit: text,
      description: text,
      active: { type: 'boolean' },
      cost: number_,
      tax: number_,
      sku: text,
      pn: text,
      metadata: { type: 'map', properties: { color: text, legs: number_ } },
      revision: number_,
      created_at: number_,
      written_by: text,
      written_stamp: text,
      written_at: number_,
    },
    indexes: {
      primary: {
        pk: { field: 'pk', composite: ['account'], template: 'ACCOUNT#${account}#ITEMS', casing: 'none' },
        sk: { field: 'sk', composite: ['id'], template: 'ITEM#${id}', casing: 'none' },
      },
      byName: {
        index: 'by_name',
        pk: { field: 'list_pk', composite: ['account'], template: 'ACCOUNT#${account}#NAMES', casing: 'none' },
        sk: { field: 'list_sk', composite: ['listed', 'id'], template: '${listed}\t${id}', casing: 'none' },
      },
    },
  },
  { client, table },
);

const guard = new Entity(
  {
    model: { entity: 'guard', version: '1', service: 'catalog' },
    attributes: { account: text, kind: text, code: text, item_id: number_ },
    indexes: {
      primary: {
        pk: {
          field: 'pk',
          composite: ['account', 'kind', 'code'],
          template: 'ACCOUNT#${account}#${kind}#${code}',
          casing: 'none',
        },
        sk: { field: 'sk', composite: [], template: 'GUARD', casing: 'none' },
      },
    },
  },
  { client, table },
);

const catalog = new Service({ item, guard }, { client, table });

const fields = (number) => ({ account, listed: `chair ${number}`, ...itemFields(number) });
const key = (number) => ({ account, id: idOf(number) });
const patched = (number, properties) =>
  item
    .patch(key(number))
    .set({ ...properties, ...lastWrite() })
    .add({ revision: 1 });

/** The library does not throw when a transaction is refused. */
async function transact(write) {
  const { canceled, data } = await catalog.transaction.write(write).go();
  if (canceled) throw new Error(`The transaction was refused: ${JSON.stringify(data)}`);
}

export const create = (number) => item.create(fields(number)).go();
export const createIdentifiers = (number) => {
  const [sku, pn] = [`S${number}`, `P${number}`];
  const created = { ...fields(number), sku, pn };
  return transact(({ item, guard }) => [
    item.create(created).commit(),
    guard.create({ account, kind: 'SKU', code: sku, item_id: created.id }).commit(),
    guard.create({ account, kind: 'PN', code: pn, item_id: created.id }).commit(),
  ]);
};
export const update = (number) => patched(number, { value: 13.5, description: 'Oak' }).go({ response: 'all_new' });

/** Which identifiers change is known from the item as it is; it must then still be so. */
async function modify(number, properties) {
  const { data: stored } = await item.get(key(number)).go({ consistent: true });
  const isAsRead = ({ revision }, { eq }) => eq(revision, stored.revision);
  if (properties.sku === stored.sku && (properties.pn ?? stored.pn) === stored.pn)
    return patched(number, properties).where(isAsRead).go({ response: 'all_new' });
  return transact(({ item, guard }) => [
    item
      .patch(key(number))
      .set({ ...properties, ...lastWrite() })
      .add({ revision: 1 })
      .where(isAsRead)
      .commit(),
    guard.create({ account, kind: 'SKU', code: properties.sku, item_id: stored.id }).commit(),
    guard.remove({ account, kind: 'SKU', code: stored.sku }).commit(),
  ]);
}

export const updateUnchanged = (number) =>
  modify(number, { value: 13.5, sku: `S${idOf(number)}`, pn: `P${idOf(number)}` });
export const updateChanged = (number) => modify(number, { sku: `T${number}` });
export const updateMetadata = (number) =>
  item
    .patch(key(number))
    .data(({ metadata }, { set }) => {
      set(metadata.color, 'black');
      set(metadata.legs, 4);
    })
    .set(lastWrite())
    .add({ revision: 1 })
    .go({ response: 'all_new' });
export const getItem = (number) => item.get(key(number)).go({ consistent: true });
/** Queries the index, and reads the items that it names. */
export const listItems = () => item.query.byName({ account }).go({ limit: 50, hydrate: true });
