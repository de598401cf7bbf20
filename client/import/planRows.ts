import { identifierNames } from '../../lib/item/fields.ts';
import { RepeatedRows } from '../../lib/item/repeatedRows.ts';
import { nextTask } from '../http/wait.ts';
import { codeIn, hashOf, invalidRow, type Row, type RowError, type RowOptions, valuesOf } from './rows.ts';

/** A row with its place among all rows, counted from 1. */
export interface PlacedRow {
  readonly place: number;
  readonly row: Row;
  /** The key of its creation. Undefined if it names an item, or may not create one. */
  readonly key: string | undefined;
  /** Whether it has a code that may be that of an item. */
  readonly isMatched: boolean;
}

/** What is known of rows before the service is asked. */
export interface RowPlan {
  readonly rows: readonly PlacedRow[];
  /** Why rows cannot be written, by their places. */
  readonly repeated: ReadonlyMap<number, RowError>;
  /** Stands for the rows and the options. */
  readonly hash: string;
  readonly taken: RepeatedRows;
}

/** After so many rows, the page may draw. */
const rowsAtOnce = 500;

/** Finds the rows that are there twice, of which the service would see only one batch, and the keys of the others. */
export async function planRows(all: readonly Row[], options: RowOptions): Promise<RowPlan> {
  const { match, create, key = '' } = options;
  const taken = new RepeatedRows((row) => nameOf(options, row));
  const repeated = new Map<number, RowError>();
  const rows: PlacedRow[] = [];
  const equal = new Map<string, number>();
  for (const [index, row] of all.entries()) {
    const place = index + 1;
    if (place % rowsAtOnce === 0) await nextTask();
    const problems = repetitions(row, taken, place);
    if (problems.length > 0) repeated.set(place, invalidRow(problems));
    else {
      const values = valuesOf(row);
      const before = equal.get(values) ?? 0;
      equal.set(values, before + 1);
      const isNew = row.id === undefined;
      const isMatched = isNew && match !== undefined && codeIn(row, match) !== undefined;
      const isCreated = isNew && create !== false;
      rows.push({ place, row, key: isCreated ? await hashOf([key, values, before]) : undefined, isMatched });
    }
  }
  const hash = await hashOf([key, match ?? null, rows.map(({ row }) => row), create !== false]);
  return { rows, repeated, hash, taken };
}

export const nameOf = ({ nameOf: name = (place) => `row ${place}` }: RowOptions, place: number): string => name(place);

function repetitions(row: Row, taken: RepeatedRows, place: number) {
  const repeated = row.id === undefined ? [] : taken.take('id', row.id, place);
  for (const name of identifierNames) {
    const code = codeIn(row, name);
    if (code !== undefined) repeated.push(...taken.take(name, code, place));
  }
  return repeated;
}
