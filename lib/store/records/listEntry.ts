import * as z from 'zod/mini';
import type { Place } from '../../catalog/catalogReader.ts';
import type { Item } from '../../item/item.ts';
import { listedName } from '../../item/listedName.ts';
import type { StoredRecord } from '../database/documentClient.ts';
import { keys, listKey, nameIndex } from './keys.ts';

/** The listed name, and the item's id. */
const form = /^(.*)\t(\d{16})$/s;
const shape = z.object({ [nameIndex.sort]: z.string().check(z.regex(form)) });

/**
 * Where the list has an item.
 * @throws an error when the record is not an entry of the index
 */
export function readPlace(record: StoredRecord): Place {
  const [, name = '', id] = form.exec(shape.parse(record)[nameIndex.sort]) ?? [];
  return { name, id: Number(id) };
}

/** Whether the record of an item has the place in the list that belongs to its name. */
export function isListedUnder(record: StoredRecord, account: string, { name, id }: Place): boolean {
  const due: StoredRecord = listKey(account, id, listedName(name));
  return Object.keys(due).every((attribute) => record[attribute] === due[attribute]);
}

/** The update that puts an item into the list under its name. It changes nothing else, not even the revision. */
export function listItem(account: string, { name, id, revision }: Pick<Item, 'name' | 'id' | 'revision'>) {
  const { list_pk, list_sk } = listKey(account, id, listedName(name));
  const { partition, sort } = nameIndex;
  return {
    Key: keys.item(account, id),
    UpdateExpression: 'SET #pk = :pk, #sk = :sk',
    ConditionExpression: '#revision = :revision',
    ExpressionAttributeNames: { '#pk': partition, '#sk': sort, '#revision': 'revision' },
    ExpressionAttributeValues: { ':pk': list_pk, ':sk': list_sk, ':revision': revision },
  };
}

/** The key of a place in the index and in the table, after which a query goes on. No entry needs to be there. */
export const startKey = (account: string, { name, id }: Place) => ({
  ...keys.item(account, id),
  ...listKey(account, id, name),
});
