import { isItemHere } from '../../portable/sheet/rowsToTell.ts';
import type { Client } from '../http/catalogClient.ts';
import { type PollOptions, untilDone } from '../http/untilDone.ts';
import { loadItems } from '../items/readItems.ts';
import type { SheetRow } from '../sheet/readSheet.ts';
import type { ImportQuestion } from './importState.ts';

/**
 * Asks which items the rows of an export are, if it is one of this account, whatever columns were removed: without their
 * ids, they would become others. Ids of items with other names and codes, that were created at another time, mean nothing.
 */
export async function ownExport(
  client: Client,
  rows: readonly SheetRow[],
  options: PollOptions,
): Promise<ImportQuestion | undefined> {
  const named = rows.filter(({ id }) => id !== undefined && Number.isSafeInteger(id) && id > 0).slice(0, 100);
  const byId = new Map(named.map((row) => [row.id, row]));
  const load = () => loadItems(client, [...byId.keys()] as number[], options);
  const items = (await untilDone(load, { ...options, inBackground: true })) ?? [];
  const item = items.find((candidate) => {
    const row = byId.get(candidate.id);
    return row !== undefined && (row.cells['create_date'] === candidate.create_date || isItemHere(row, candidate));
  });
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
