import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Info, parse } from 'csv-parse';
import { CommandError } from '../../cli/commandError.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { DecimalMark } from '../../portable/sheet/cells.ts';
import { ignored, isField, type ReadRow, readColumns, separatorIn, unreadable } from '../../portable/sheet/columns.ts';
import {
  decimalMarkBeside,
  LineCounter,
  readRecord,
  recordOptions,
  unreadableRest,
} from '../../portable/sheet/records.ts';

/** One item of a file. */
export interface Row extends ReadRow {
  /** The line on which it begins, counted from 1. */
  readonly line: number;
  /** As it is in the file: the cells by column, or `text`, which is the line. */
  readonly source: Readonly<Record<string, string>>;
  /** How much of the file has been read. */
  readonly bytes: number;
}

export interface ItemFile {
  readonly path: string;
  /** In bytes. */
  readonly size: number;
  /** The hexadecimal SHA-256 of its content. */
  readonly hash: string;
  /** The separator of CSV. Undefined means JSON Lines. */
  readonly separator: string | undefined;
  readonly decimalMark: DecimalMark;
}

/** Reads a file once, before anything is done with it. @throws CommandError if it cannot be read, or is not UTF-8 */
export async function inspectFile(path: string, format: 'csv' | 'jsonl'): Promise<ItemFile> {
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
    throw new CommandError(`The file ${path} cannot be read: ${reason}.`, 1, { cause: error });
  }
  const separator = format === 'csv' ? separatorIn(head) : undefined;
  const decimalMark = separator === undefined ? undefined : decimalMarkBeside(separator);
  return { path, size, hash: hash.digest('hex'), separator, decimalMark };
}

/** The rows of a file, in order. @throws CommandError if the columns of a CSV file are unknown or named twice */
export async function* readRows({ path, separator, decimalMark }: ItemFile): AsyncGenerator<Row> {
  let columns: readonly string[] | undefined;
  for await (const { cells, ...place } of recordsIn(path, separator)) {
    if (cells === undefined) {
      yield { ...place, ...unreadableRest, source: {} };
    } else if (separator === undefined) {
      const text = cells.join(noSeparator);
      if (text.trim() !== '') yield { ...place, ...readJson(text), source: { text } };
    } else if (columns === undefined) columns = checkedColumns(cells);
    else yield { ...place, ...readRecord(cells, columns, decimalMark) };
  }
}

/** No text has it, so a line is a single cell. */
const noSeparator = '\0';

interface FileRecord extends Pick<Row, 'line' | 'bytes'> {
  /** Undefined if the file cannot be read beyond this line. */
  readonly cells: readonly string[] | undefined;
}

/** The records of a CSV file; without a separator, each line as a single cell. Empty lines are left out. */
export async function* recordsIn(path: string, separator: string | undefined): AsyncGenerator<FileRecord> {
  const lines = new LineCounter();
  let bytes = 0;
  let isBroken = false;
  const parser = parse({
    ...(separator === undefined ? { delimiter: noSeparator, quote: false } : { delimiter: separator }),
    ...recordOptions,
    on_skip: () => {
      isBroken = true;
    },
  });
  const input = createReadStream(path).on('error', (error) => parser.destroy(error));
  for await (const { record: cells, info } of input.pipe(parser) as AsyncIterable<{ record: string[]; info: Info }>) {
    bytes = info.bytes;
    yield { cells, line: lines.lineOf({ record: cells, info }), bytes };
  }
  if (isBroken) yield { cells: undefined, line: lines.next, bytes };
}

function checkedColumns(names: readonly string[]): readonly string[] {
  const { columns, wrong } = readColumns(names);
  if (wrong.length === 0) return columns;
  throw new CommandError(
    `The file has columns that are unknown or named twice: ${wrong.map((name) => JSON.stringify(name)).join(', ')}.`,
  );
}

function readJson(text: string): ReadRow {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return unreadable('is not a JSON object');
  const members = Object.entries(value as JsonObject).filter(([name]) => !ignored.has(name));
  const unknown = members.filter(([name]) => !isField(name));
  const invalid = unknown.map(([name]) => ({ field: name, reason: 'is not a field of an item' }));
  return { body: Object.fromEntries(members), invalid };
}
