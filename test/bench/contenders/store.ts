/**
 * The store as the functions open it, without what surrounds it: no event is parsed, and nothing is validated, presented
 * or logged.
 */
import { randomUUID } from 'node:crypto';
import { timedContext } from '../../../lib/catalog/requestContext.ts';
import type { ItemChange } from '../../../lib/item/item.ts';
import { itemDependencies, readerDependencies } from '../../../lib/runtime/composition.ts';
import { change } from '../../support/itemChange.ts';
import { defaultFields } from '../../support/sampleItem.ts';
import { idOf } from './fields.ts';

const { store } = itemDependencies(process.env);
const { store: reader } = readerDependencies(process.env);

const context = () => ({
  ...timedContext(Date.now() + 10_000),
  account: String(process.env['BENCH_ACCOUNT']),
  user: 'user-1',
  writeId: randomUUID(),
});
const fields = (number: number) => ({ ...defaultFields, name: `Chair ${number}`, value: 12.5 });

async function modify(number: number, asked: ItemChange): Promise<unknown> {
  const request = context();
  const account = await store.account(request);
  return store.modifyItem(request, { id: idOf(number), change: asked, revisions: undefined, account });
}

export const create = (number: number) => store.insertItem(context(), fields(number));
export const createIdentifiers = (number: number) =>
  store.insertItem(context(), { ...fields(number), sku: `S${number}`, pn: `P${number}` });
export const update = (number: number) => modify(number, change({ value: 13.5, description: 'Oak' }));
export const updateUnchanged = (number: number) =>
  modify(number, change({ value: 13.5, sku: `S${idOf(number)}`, pn: `P${idOf(number)}` }));
export const updateChanged = (number: number) => modify(number, change({ sku: `T${number}` }));
export const updateMetadata = (number: number) =>
  modify(number, change({}, { metadata: { set: { color: 'black', legs: 4 }, remove: [] } }));
export const getItem = (number: number) => reader.findItem(context(), idOf(number));
export const listItems = () =>
  reader.listItems(context(), {
    includeInactive: false,
    category: undefined,
    type: undefined,
    search: '',
    limit: 50,
    after: undefined,
  });
