import type { Json, JsonObject } from '../../item/json.ts';
import { customPrefix, writeCell } from './cells.ts';

/** At most this many custom fields get a column each. The others are together in the column `metadata`. */
export const maxCustomColumns = 200;

/** The column names of items with these fields and custom fields. */
export const columnsOf = (fields: readonly string[], customFields: readonly string[]): string[] => [
  ...fields,
  ...customFields.map((key) => customPrefix + key),
];

/** The line of an item, as it is in responses. */
export function csvLineOf({ metadata, ...item }: JsonObject, columns: readonly string[]): string {
  const values: Record<string, Json> = { ...item };
  const others: [string, Json][] = [];
  for (const [key, value] of Object.entries((metadata ?? {}) as JsonObject))
    if (columns.includes(customPrefix + key)) values[customPrefix + key] = value;
    else others.push([key, value]);
  if (others.length > 0) values['metadata'] = Object.fromEntries(others);
  return csvLine(columns.map((column) => (column in values ? writeCell(column, values[column] ?? null) : '')));
}

/** Every cell is quoted, because a few rules decide which ones must be. */
export const csvLine = (cells: readonly unknown[], separator = ','): string =>
  `${cells.map((cell) => `"${String(cell).replaceAll('"', '""')}"`).join(separator)}\r\n`;
