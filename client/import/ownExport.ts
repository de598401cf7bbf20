import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import type { Client, Item } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { loadItems } from '../items/readItems.ts';
import type { ImportQuestion } from './importState.ts';
import type { SheetRow } from './readSheet.ts';
import type { Row } from './rows.ts';

/** The id of a row, also if its column is left out because the file has no revisions. */
const idOf = ({ id, cells }: SheetRow): number => id ?? Number(cells['id']);

/** Whether a row of an export, of which columns may have been removed, is the item that has its id in this account. */
export const isItemHere = (row: Row, item: Pick<Item, 'name' | IdentifierName>): boolean =>
  (['name', ...identifierNames] as const).some((field) => typeof row[field] === 'string' && row[field] === item[field]);

/**
 * Asks which items the rows of an export are, if it is one of this account, whatever columns were removed: without their
 * ids, they would become others. Ids of items with other names and codes, that were created at another time, mean nothing.
 */
export async function ownExport(
  client: Client,
  rows: readonly SheetRow[],
  options: PollOptions,
): Promise<ImportQuestion | undefined> {
  const named = rows.filter((row) => Number.isSafeInteger(idOf(row)) && idOf(row) > 0).slice(0, 100);
  const byId = new Map(named.map((row) => [idOf(row), row]));
  const load = () => loadItems(client, [...byId.keys()], options);
  const items = (await retryUntilDone(load, { ...options, inBackground: true })) ?? [];
  const item = items.find((candidate) => {
    const row = byId.get(candidate.id);
    return row !== undefined && (row.cells['create_date'] === candidate.create_date || isItemHere(row.body, candidate));
  });
  if (item === undefined) return undefined;
  const question = { option: 'match', rule: 'own_export', values: { item: item.id } } as const;
  const text = `The file is an export of this account, in which item ${item.id} is.`;
  const others = { answer: 'none', shown: 'create others' };
  const canChange = named.some(({ id }) => id !== undefined);
  if (canChange) return { ...question, text, readings: [{ answer: 'id', shown: 'change these items' }, others] };
  return { ...question, text: `${text} To change its items, keep the column revision.`, readings: [others] };
}
