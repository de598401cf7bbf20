/** The columns of a CSV file of items, and what its rows mean. Like the cells, it is shared with browsers. */
import { fieldNames } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { customPrefix, type DecimalMark, readCell, UnreadableCell } from './cells.ts';
import { type RowProblem, rejectColumns } from './csvLine.ts';

/** A row as it was read. */
export interface ReadRow {
  /** The body of a create or update. */
  readonly body: JsonObject;
  /** What cannot be read. */
  readonly invalid: readonly RowProblem[];
}

const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];

/** The columns and members that other fields of a response, or the rejects of an import, have. */
export const ignored: ReadonlySet<string> = new Set([...responseOnly, 'reject', ...rejectColumns]);

export const isField = (name: string): boolean => (fieldNames as readonly string[]).includes(name);

/** The one of the usual separators that the first line has most of, outside of quotes. */
export function separatorIn(head: string): string {
  const [first = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/);
  const count = (mark: string) => first.split(mark).length;
  return [',', ';', '\t'].reduce((most, mark) => (count(mark) > count(most) ? mark : most));
}

/** Reads the first line of a file. @returns the columns, and those that are unknown or named twice */
export function readColumns(names: readonly string[]): { columns: readonly string[]; wrong: readonly string[] } {
  const columns = names.map((name) => (name.startsWith(customPrefix) ? name : name.trim()));
  const isColumn = (name: string) => isField(name) || name.startsWith(customPrefix) || ignored.has(name);
  return { columns, wrong: columns.filter((name, index) => !isColumn(name) || columns.indexOf(name) !== index) };
}

/** A row that cannot be read at all. */
export const unreadable = (reason: string): ReadRow => ({ body: {}, invalid: [{ field: 'row', reason }] });

/** Reads the cells of a row, by their columns. */
export function readCells(cells: Readonly<Record<string, string>>, decimalMark: DecimalMark): ReadRow {
  const values: [string, Json][] = [];
  const custom: [string, Json][] = [];
  const invalid: RowProblem[] = [];
  for (const [column, cell] of Object.entries(cells)) {
    if (ignored.has(column)) continue;
    try {
      const value = readCell(column, cell, decimalMark);
      if (value === undefined) continue;
      if (column.startsWith(customPrefix)) custom.push([column.slice(customPrefix.length), value]);
      else if (column === 'metadata') custom.unshift(...Object.entries(value ?? {}));
      else values.push([column, value]);
    } catch (error) {
      if (!(error instanceof UnreadableCell)) throw error;
      invalid.push({ field: column, reason: error.message });
    }
  }
  // fromEntries also keeps a key named __proto__, which is then refused.
  const metadata = custom.length === 0 ? {} : { metadata: Object.fromEntries(custom) };
  return { body: { ...Object.fromEntries(values), ...metadata }, invalid };
}
