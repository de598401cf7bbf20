import type { Client } from '../http/catalogClient.ts';
import { type PollOptions, untilDone } from '../http/untilDone.ts';
import { loadItems } from '../items/readItems.ts';
import type { SheetRow } from '../sheet/readSheet.ts';
import type { ImportQuestion } from './importState.ts';

/**
 * Asks which items the rows of an export are, if it is one of this account: without their ids, they would become others.
 * Ids of items that were created at another time, as in an export of another account, mean nothing.
 */
export async function ownExport(
  client: Client,
  rows: readonly SheetRow[],
  options: PollOptions,
): Promise<ImportQuestion | undefined> {
  const created = new Map(rows.map(({ id, cells }) => [id, cells['create_date']]));
  const ids = [...created.keys()].filter((id) => id !== undefined && Number.isSafeInteger(id) && id > 0);
  const load = () => loadItems(client, ids.slice(0, 100) as number[], options);
  const items = (await untilDone(load, { ...options, inBackground: true })) ?? [];
  const item = items.find(({ id, create_date }) => [undefined, create_date].includes(created.get(id)));
  return item && questionOf(item.id);
}

const questionOf = (item: number): ImportQuestion => ({
  option: 'match',
  rule: 'own_export',
  values: { item },
  text: `The file is an export of this account, in which item ${item} is.`,
  readings: [
    { answer: 'id', shown: 'change these items' },
    { answer: 'none', shown: 'create others' },
  ],
});
