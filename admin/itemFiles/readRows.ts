import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/commandError.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { SheetCategory } from '../../portable/sheet/categories.ts';
import { ignored, isField } from '../../portable/sheet/columns.ts';
import { type InspectedSheet, inspectSheet } from '../../portable/sheet/inspectSheet.ts';
import type { SheetAnswers, SheetProblem } from '../../portable/sheet/notices.ts';
import { isWorkbook } from '../../portable/sheet/records.ts';
import type { InspectedRow } from '../../portable/sheet/rowReader.ts';
import { readWorkbook } from '../../portable/sheet/workbook.ts';

export interface ItemFile {
  readonly path: string;
  /** What was found in a sheet. Undefined means JSON Lines. */
  readonly sheet: InspectedSheet | undefined;
}

/** @throws CommandError if the file cannot be read, or with the questions that have to be answered first */
export async function inspectFile(
  path: string,
  format: 'csv' | 'jsonl',
  answers: SheetAnswers,
  categories: readonly SheetCategory[],
): Promise<ItemFile> {
  const bytes = await readFile(path).catch((error: Error) => Promise.reject(unreadable(path, error.message)));
  if (format === 'jsonl') return { path, sheet: undefined };
  const sheet = inspectSheet(isWorkbook(bytes) ? await workbookIn(path, bytes) : bytes, answers, categories);
  if (sheet.questions.length > 0) throw new CommandError(`The file ${path} was not imported.\n${questionsText(sheet)}`);
  return { path, sheet };
}

const unreadable = (path: string, reason: string) => new CommandError(`The file ${path} cannot be read: ${reason}.`);

const workbookIn = (path: string, bytes: Uint8Array<ArrayBuffer>) =>
  readWorkbook(bytes).catch(({ message }: Error) => Promise.reject(new CommandError(`The file ${path}: ${message}`)));

/** The questions, each with the options that answer it. */
const questionsText = ({ questions }: InspectedSheet): string =>
  questions
    .flatMap(({ option, text, readings }) => [
      text,
      ...readings.map(({ answer, shown }) => `  --${option} ${quotedAnswer(answer)}   ${shown}`),
    ])
    .join('\n');

/** What is said of a sign on the command line. */
export const signs = { point: '.', comma: ',', semicolon: ';', tab: '\t' } as const;

const quotedAnswer = (answer: string): string =>
  Object.entries(signs).find(([, sign]) => sign === answer)?.[0] ?? `'${answer.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The rows of a file, in order, each time anew. In JSON Lines, their cells are `text`, the line, `id` and `create_date`.
 * @throws CommandError if a file of JSON Lines is not UTF-8
 */
export async function* readRows({ path, sheet }: ItemFile): AsyncGenerator<InspectedRow> {
  if (sheet !== undefined) return yield* sheet.rows();
  let line = 0;
  for await (const text of linesIn(path)) {
    line += 1;
    if (text.trim() !== '') yield { line, ...readJson(text) };
  }
}

/** @throws CommandError if the file cannot be read, or is not UTF-8 */
export async function* linesIn(path: string): AsyncGenerator<string> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const chunk of createReadStream(path)) {
      const lines = (rest + utf8.decode(chunk, { stream: true })).split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
    yield rest + utf8.decode();
  } catch (error) {
    throw unreadable(path, error instanceof TypeError ? 'it is not UTF-8' : (error as Error).message);
  }
}

const notObject: SheetProblem = { field: 'row', reason: 'is not a JSON object', rule: 'json_row', values: {} };

function readJson(text: string): Omit<InspectedRow, 'line'> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Reported below.
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { cells: { text }, body: {}, invalid: [notObject] };
  const { id, revision, create_date } = value as JsonObject;
  const members = Object.entries(value as JsonObject).filter(([name]) => !ignored.has(name));
  const unknown = members.filter(([name]) => !isField(name));
  const invalid = unknown.map(([field]): SheetProblem => {
    return { field, reason: 'is not a field of an item', rule: 'unknown_field', values: {} };
  });
  const cells = { text, id: String(id), create_date: String(create_date) };
  return { id: Number(id), revision: Number(revision), cells, body: Object.fromEntries(members), invalid };
}
