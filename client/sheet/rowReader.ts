/** Reads the rows of a sheet, by what its columns were found to be. */
import { customKey } from '../../lib/item/customName.ts';
import { fields } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import type { Categories } from './categories.ts';
import type { Column } from './columnProfile.ts';
import { isAmount, isCustom, readExportCell } from './exportCells.ts';
import { type ColumnMapping, type SheetProblem, UnreadableCell } from './notices.ts';
import type { DecimalMark } from './readAmount.ts';
import type { Cell, SheetRecord } from './records.ts';
import { isBlank, readThirdPartyCell, trimmed } from './thirdPartyCells.ts';

export interface InspectedRow {
  /** The line of the file on which it begins, counted from 1. */
  readonly line: number;
  /** As they are in the file, by the names of the columns, up to the row's last one. */
  readonly cells: Readonly<Record<string, string>>;
  /** The body of a create or update: all that can be read. */
  readonly body: JsonObject;
  readonly invalid: readonly SheetProblem[];
  /** The values of the columns `id` and `revision`, which are not in the body. */
  readonly id?: number;
  readonly revision?: number;
}

/** The facts about a file that are found before its rows are read. */
interface Reading {
  readonly decimalMark: DecimalMark;
  readonly categories: Categories;
  /** Whether it is an export of ours. */
  readonly isOwn: boolean;
  /** The separator of a text; undefined: a workbook. */
  readonly separator: string | undefined;
}

type Cells = SheetRecord['cells'];

/** A record's category, by both columns that can name it. */
export function categoryReader(columns: readonly ColumnMapping[]) {
  const placeOf = (target: string) => columns.findIndex((column) => column.target === target);
  const [id, name] = [placeOf('category'), placeOf('category_name')];
  return (cells: Cells) => [trimmed(String(cells[id] ?? '')), trimmed(String(cells[name] ?? ''))] as const;
}

export function rowReader(columns: readonly Column[], reading: Reading): (record: SheetRecord) => InspectedRow {
  const sources = sourcesOf(columns, reading);
  return ({ line, cells, isBroken }) => {
    // Also those that a short row lacks: `constructor` would be found in what every object has.
    const source = Object.fromEntries(columns.map(({ name }, at) => [name, String(cells[at] ?? '')]));
    const wrong = isBroken === true ? openQuote : widthProblem(cells, columns.length, reading.separator);
    if (wrong !== undefined) return { line, cells: source, body: {}, invalid: [wrong] };
    return { line, cells: source, ...readRow(sources, cells) };
  };
}

const openQuote: SheetProblem = {
  field: 'row',
  reason: 'has a quote that is not closed',
  rule: 'open_quote',
  values: {},
};

function widthProblem(cells: Cells, width: number, separator: string | undefined): SheetProblem | undefined {
  if (cells.slice(width).every(isBlank)) return undefined;
  const advice = {
    ',': ': a cell with a comma in it, such as 12,50, needs quotes',
    ';': ': a cell with a semicolon in it needs quotes',
  }[separator ?? ''];
  const reason = `has ${cells.length} cells instead of ${width}${advice ?? ''}`;
  return { field: 'row', reason, rule: 'row_width', values: { cells: cells.length, columns: width } };
}

/** A field that rows have. */
interface Source {
  readonly field: string;
  /** The place of its column, which shorter rows do not have. */
  readonly at: number;
  /** @throws UnreadableCell */
  readonly read: (cell: Cell, cells: Cells) => Json | undefined;
}

/** The fields that rows have, in the order of their columns. */
function sourcesOf(columns: readonly Column[], { decimalMark, categories, isOwn }: Reading): Source[] {
  const pairOf = categoryReader(columns);
  const ofCategory = columns.findIndex(({ target }) => target === 'category' || target === 'category_name');
  return columns.flatMap(({ target: field = 'ignore', profile }, at): Source[] => {
    if (at === ofCategory) return [{ field: 'category', at, read: (_, cells) => categories.idOf(pairOf(cells)) }];
    if (field === 'id' || field === 'revision') return [{ field, at, read: (cell) => idIn(String(cell)) }];
    if (field === 'category' || !(field in fields || isCustom(field))) return [];
    const isNumber = isCustom(field) && profile.isNumber(decimalMark);
    const readThirdParty = (cell: Cell) =>
      readThirdPartyCell(field, isAmount(field) ? profile.withoutCurrency(cell) : cell, decimalMark, isNumber);
    const readOwn = (cell: Cell) => readExportCell(field, String(cell), decimalMark, profile.isLogical);
    return [{ field, at, read: isOwn ? readOwn : readThirdParty }];
  });
}

/** @throws UnreadableCell */
function idIn(cell: string): number | undefined {
  const text = trimmed(cell);
  if (text === '' || /^[1-9]\d{0,15}$/.test(text)) return text === '' ? undefined : Number(text);
  throw new UnreadableCell('id', text, 'must be a number as in an export');
}

function readRow(sources: readonly Source[], cells: Cells): Pick<InspectedRow, 'body' | 'invalid' | 'id' | 'revision'> {
  const values: [string, Json][] = [];
  const custom: [string, Json][] = [];
  const invalid: SheetProblem[] = [];
  for (const { field, at, read } of sources) {
    const cell = cells[at];
    if (cell === undefined) break;
    try {
      const value = read(cell, cells);
      if (value === undefined) continue;
      const key = customKey(field);
      if (key !== undefined) custom.push([key, value]);
      else if (field === 'metadata') custom.unshift(...Object.entries(value ?? {}));
      else values.push([field, value]);
    } catch (error) {
      if (!(error instanceof UnreadableCell)) throw error;
      invalid.push({ field, reason: error.message, rule: error.rule, values: error.values });
    }
  }
  const { id, revision, ...body } = Object.fromEntries(values);
  // fromEntries also keeps a key named __proto__, which is then refused.
  const metadata = custom.length === 0 ? {} : { metadata: Object.fromEntries(custom) };
  const item = { ...(typeof id === 'number' && { id }), ...(typeof revision === 'number' && { revision }) };
  return { ...item, body: { ...body, ...metadata }, invalid };
}
