import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { marshall } from '@aws-sdk/util-dynamodb';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { initialUnits } from '../../lib/item/account.ts';
import { newAccountRecord, newCategoryRecord, newUnitRecord } from '../../lib/store/records/accountRecord.ts';
import { putGuard } from '../../lib/store/records/guardRecord.ts';
import { newItemRecord } from '../../lib/store/records/itemRecord.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { defaultFields } from '../support/sampleItem.ts';

/** The configuration of an account as its records: the category that items have by default, and the usual units. */
export const configuration = (account: string): object[] => [
  newAccountRecord(account),
  newCategoryRecord(account, 1, 'General'),
  ...[...initialUnits].map(([unit, decimals]) => newUnitRecord(account, unit, decimals)),
];

/** The records of an item, and of the guard of its SKU. */
function itemRecords(account: string, id: number): object[] {
  const context = { ...timedContext(0), account, user: 'user-1', writeId: 'write-1' };
  const item = { ...defaultFields, name: `Chair ${id}`, sku: `S${id}`, id, revision: 1, createdAt: 1_700_000_000_000 };
  return [newItemRecord(context, item), putGuard('', context, id, { name: 'sku', text: item.sku }).Put.Item];
}

const line = (record: object): string => `${JSON.stringify({ Item: marshall(record) })}\n`;

/** An id that no other number in its item's text looks like, so that the text becomes another's by replacing it. */
const sample = 8_888_888;

/** Writes the table of an account with so many items, in the form of DynamoDB's export. */
export async function writeTable(file: string, account: string, items: number): Promise<void> {
  const text = itemRecords(account, sample).map(line).join('');
  function* chunks() {
    yield [...configuration(account), { ...keys.counter(account), last: items }].map(line).join('');
    for (let from = 1; from <= items; from += 1_000) {
      const ids = Array.from({ length: Math.min(1_000, items - from + 1) }, (_, index) => from + index);
      yield ids.map((id) => replaced(text, id)).join('');
    }
  }
  await pipeline(Readable.from(chunks()), createGzip({ level: 1 }), createWriteStream(file));
}

/** The text of another item. In keys, ids are padded with zeros. */
function replaced(text: string, id: number): string {
  const [from, to] = [String(sample), String(id)];
  return text.replaceAll(from.padStart(16, '0'), to.padStart(16, '0')).replaceAll(from, to);
}
