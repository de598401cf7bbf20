import { customName } from '../../lib/item/customName.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Item } from '../http/catalogClient.ts';
import { csvLine } from '../sheet/csvLine.ts';
import { csvLineOf, maxCustomColumns } from '../sheet/exportCells.ts';

/**
 * Items as CSV, to be edited and imported again. The columns are those of the operators' export, and its byte order mark
 * tells spreadsheets that the text is UTF-8.
 * @example const csv = writeItems(items); // its rows update these items when they are imported
 */
export function writeItems(items: readonly Item[]): string {
  const fields = new Set(items.flatMap((item) => Object.keys(item)));
  const keys = new Set(items.flatMap(({ metadata }) => Object.keys(metadata)));
  const custom = [...keys].slice(0, maxCustomColumns).sort().map(customName);
  const columns = [...fields, ...custom];
  return `\ufeff${csvLine(columns)}${items.map((item) => csvLineOf(item as unknown as JsonObject, columns)).join('')}`;
}
