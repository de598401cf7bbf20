import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import type { InvalidField } from '../../item/errors.ts';
import { fieldNames } from '../../item/fields.ts';
import type { Json, JsonObject } from '../../item/json.ts';
import { OperatorError } from '../accounts.ts';
import type { DecimalMark } from './cells.ts';
import { customPrefix, readCell, UnreadableCell } from './cells.ts';

/** What is wrong with a row: a column or a field, and the reason. */
export type RowProblem = Pick<InvalidField, 'field' | 'reason' | 'path'>;

/** One item of a file. */
export interface Row {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /** The body of a create or update. */
  readonly body: JsonObject;
  /** What cannot be read. */
  readonly invalid: readonly RowProblem[];
  /** As it is in the file: the cells by column, or the line. */
  readonly source: Readonly<Record<string, string>> | string;
  /** How much of the file has been read. */
  readonly bytes: number;
}

export interface ItemFile {
  readonly path: string;
  readonly format: 'csv' | 'jsonl';
  /** In bytes. */
  readonly size: number;
  /** The hexadecimal SHA-256 of its content. */
  readonly hash: string;
  readonly separator: string;
}

/** Columns that other fields of a response, or the rejects of an import, have. They are ignored. */
export const rejectColumns: readonly string[] = ['reject_line', 'reject_field', 'reject_reason'];
const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];
const ignored = new Set<string>([...responseOnly, 'reject', ...rejectColumns]);
const isColumn = (name: string): boolean =>
  (fieldNames as readonly string[]).includes(name) || name.startsWith(customPrefix) || ignored.has(name);

/** A longer row would not fit an item. Usually a quote was not closed. */
const maxRow = 8 * 1024 * 1024;

/**
 * Reads a file once, before anything is done with it.
 * @throws OperatorError if it cannot be read, or is not UTF-8
 */
export async function inspectFile(path: string, format: ItemFile['format']): Promise<ItemFile> {
  const hash = createHash('sha256');
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let [size, head] = [0, ''];
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      const text = utf8.decode(chunk, { stream: true });
      if (head.length < 65_536) head += text;
      hash.update(chunk);
      size += chunk.length;
    }
    utf8.decode();
  } catch (error) {
    const reason = error instanceof TypeError ? 'is not UTF-8: save it as "CSV UTF-8"' : (error as Error).message;
    throw new OperatorError(`The file ${path} cannot be read: ${reason}.`, { cause: error });
  }
  return { path, format, size, hash: hash.digest('hex'), separator: separatorIn(head) };
}

/** The one of the usual separators that the first line has most of, outside of quotes. */
function separatorIn(head: string): string {
  const [first = ''] = head.replaceAll(/"[^"]*"/g, '').split(/[\r\n]/);
  const count = (mark: string) => first.split(mark).length;
  return [',', ';', '\t'].reduce((most, mark) => (count(mark) > count(most) ? mark : most));
}

/** The rows of a file, in order. @throws OperatorError if the columns of a CSV file are unknown or named twice */
export const readRows = (file: ItemFile, decimalMark: DecimalMark): AsyncGenerator<Row> =>
  file.format === 'csv' ? readCsv(file, decimalMark) : readJsonLines(file);

async function* readCsv({ path, separator, size }: ItemFile, decimalMark: DecimalMark): AsyncGenerator<Row> {
  let [line, empty] = [1, 0];
  let broken: Row | undefined;
  const reject = (reason: string, at: number, source: Row['source'] = {}, bytes = size): Row => ({
    ...{ line: at, body: {}, source, bytes, invalid: [{ field: 'row', reason }] },
  });
  const parser = parse({
    bom: true,
    delimiter: separator,
    record_delimiter: ['\r\n', '\n', '\r'],
    info: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: maxRow,
    skip_records_with_error: true,
    on_skip: () => {
      broken = reject('is too long, or has a quote that is not closed; the file was not read beyond it', line);
    },
  });
  const input = createReadStream(path).on('error', (error) => parser.destroy(error));
  let columns: readonly string[] | undefined;
  for await (const { record, info } of input.pipe(parser) as AsyncIterable<CsvRecord>) {
    const begins = line + info.empty_lines - empty;
    empty = info.empty_lines;
    // The parser counts \r\n in a cell as two lines.
    line = begins + 1 + (record.join().match(/\r\n|[\r\n]/g)?.length ?? 0);
    if (columns === undefined) {
      columns = checkedColumns(record);
      continue;
    }
    const source = Object.fromEntries(columns.map((column, index) => [column, record[index] ?? '']));
    if (record.length > columns.length)
      yield reject(`has ${record.length} cells instead of ${columns.length}`, begins, source, info.bytes);
    else yield { line: begins, ...readCells(source, decimalMark), source, bytes: info.bytes };
  }
  if (broken !== undefined) yield broken;
}

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly empty_lines: number; readonly bytes: number };
}

function checkedColumns(names: readonly string[]): readonly string[] {
  const columns = names.map((name) => (name.startsWith(customPrefix) ? name : name.trim()));
  const wrong = columns.filter((name, index) => !isColumn(name) || columns.indexOf(name) !== index);
  if (wrong.length === 0) return columns;
  throw new OperatorError(
    `The file has columns that are unknown or named twice: ${wrong.map((name) => JSON.stringify(name)).join(', ')}.`,
  );
}

function readCells(cells: Readonly<Record<string, string>>, decimalMark: DecimalMark) {
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

async function* readJsonLines({ path }: ItemFile): AsyncGenerator<Row> {
  let [line, bytes] = [0, 0];
  for await (const source of linesOf(path)) {
    line += 1;
    bytes += Buffer.byteLength(source) + 1;
    if (source.trim() !== '') yield { line, bytes, source, ...readJson(source) };
  }
}

/** The lines of a file. Node's readline would also end them at U+2028, which JSON may contain. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of createReadStream(path, 'utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** @returns the body of a line, with what cannot be read */
export function readJson(source: string): Pick<Row, 'body' | 'invalid'> {
  let value: unknown;
  try {
    value = JSON.parse(source.replace(/^\ufeff/, ''));
  } catch {
    // Reported below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { body: {}, invalid: [{ field: 'row', reason: 'is not a JSON object' }] };
  const members = Object.entries(value as JsonObject).filter(([name]) => !ignored.has(name));
  const unknown = members.filter(([name]) => !(fieldNames as readonly string[]).includes(name));
  const invalid = unknown.map(([name]) => ({ field: name, reason: 'is not a field of an item' }));
  return { body: Object.fromEntries(members), invalid };
}
