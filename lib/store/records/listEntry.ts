import * as z from 'zod/mini';
import type { ListPosition } from '../../catalog/catalogStore.ts';
import type { Item } from '../../item/item.ts';
import { listedName } from '../../item/listedName.ts';
import { equals, expressions, setText } from '../database/expressions.ts';
import type { StoredRecord } from '../database/record.ts';
import { keys, listKey, nameIndex } from './keys.ts';

/** The listed name and the item id, separated by a tab. */
const form = /^(.*)\t(\d{16})$/s;
const shape = z.object({ [nameIndex.sort]: z.string().check(z.regex(form)) });

/** Reads an item's position in the list. @throws an error if the record is not an index entry */
export function readPosition(record: StoredRecord): ListPosition {
  const [, name = '', id] = form.exec(shape.parse(record)[nameIndex.sort]) ?? [];
  return { name, id: Number(id) };
}

/** Whether an item's record is listed under its current name. */
export function isListedUnder(record: StoredRecord, account: string, { name, id }: ListPosition): boolean {
  const due: StoredRecord = listKey(account, id, listedName(name));
  return Object.keys(due).every((attribute) => record[attribute] === due[attribute]);
}

/** An update that lists an item under its name. It changes nothing else, not even the revision. */
export function listItem(account: string, { name, id, revision }: Pick<Item, 'name' | 'id' | 'revision'>) {
  return {
    Key: keys.item(account, id),
    ...expressions((use) => ({
      UpdateExpression: setText(use, listKey(account, id, listedName(name))),
      ConditionExpression: equals(use, 'revision', revision),
    })),
  };
}

/** The exclusive start key for a query that continues after a position. There need not be an entry at that position. */
export const startKey = (account: string, { name, id }: ListPosition) => ({
  ...keys.item(account, id),
  ...listKey(account, id, name),
});
