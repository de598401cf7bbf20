import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/commandError.ts';
import type { ImportQuestion } from '../../client/import/importState.ts';
import { type Sheet, type SheetAnswers, type SheetRow, UnreadableSheet } from '../../client/import/readSheet.ts';
import type { SheetCategory } from '../../client/sheet/categories.ts';
import { ignored, isField } from '../../client/sheet/columns.ts';
import { inspectSheet } from '../../client/sheet/inspectSheet.ts';
import { type SheetProblem, UnreadableFile } from '../../client/sheet/notices.ts';
import { isWorkbook } from '../../client/sheet/records.ts';
import type { InspectedRow } from '../../client/sheet/rowReader.ts';
import type { WorkbookSheet } from '../../client/sheet/sheetForm.ts';
import { readWorkbook } from '../../client/sheet/workbook.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Format } from './fileFormat.ts';

/**
 * Reads all of a file, as an import takes it. In JSON Lines, the cells of a row are `text`, its line, `id` and `create_date`.
 * @throws CommandError if the file cannot be read; UnreadableSheet with the questions that have to be answered first
 */
export async function readItemFile(
  path: string,
  format: Format,
  answers: SheetAnswers,
  categories?: readonly SheetCategory[],
): Promise<Sheet> {
  // They have nothing of a sheet but rows.
  if (format === 'jsonl')
    return { ...sheetIn(new Uint8Array(), {}), warnings: [], rows: (await jsonRows(path)) as SheetRow[] };
  const bytes = await readFile(path).catch((error: Error) => Promise.reject(unreadable(path, error.message)));
  try {
    return sheetIn(isWorkbook(bytes) ? await readWorkbook(bytes) : bytes, answers, categories);
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandError(`The file ${path}: ${error.message}`) : error;
  }
}

/** @throws UnreadableSheet with the questions that have to be answered first */
export function sheetIn(
  source: Uint8Array | readonly WorkbookSheet[],
  answers: SheetAnswers,
  categories?: readonly SheetCategory[],
): Sheet {
  const { rows, questions, ...form } = inspectSheet(source, answers, categories);
  if (questions.length > 0) throw new UnreadableSheet(questions, form.mapping);
  return { ...form, rows: [...rows()] as SheetRow[] };
}

const unreadable = (path: string, reason: string) => new CommandError(`The file ${path} cannot be read: ${reason}.`);

/** The questions, each with the options that answer it. */
export const questionsText = (path: string, questions: readonly ImportQuestion[]): string =>
  [`The file ${path} was not imported.`]
    .concat(
      questions.flatMap(({ option, text, readings }) => [
        text,
        ...readings.map(({ answer, shown }) => `  ${answerText(option, answer)}   ${shown}`),
      ]),
    )
    .join('\n');

const answerText = (option: ImportQuestion['option'], answer: string): string => {
  if (option === 'match') return answer === 'id' ? '--update-by id' : '--columns id=ignore';
  return `--${option} ${quotedAnswer(answer)}`;
};

/** What is said of a sign on the command line. */
export const signs = { point: '.', comma: ',', semicolon: ';', tab: '\t' } as const;

const quotedAnswer = (answer: string): string =>
  Object.entries(signs).find(([, sign]) => sign === answer)?.[0] ?? `'${answer.replaceAll("'", String.raw`'\''`)}'`;

async function jsonRows(path: string): Promise<InspectedRow[]> {
  const rows: InspectedRow[] = [];
  let line = 0;
  for await (const text of linesIn(path)) {
    line += 1;
    if (text.trim() !== '') rows.push({ line, ...readJson(text) });
  }
  return rows;
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
  const cells = { text, ...(create_date !== undefined && { create_date: String(create_date) }) };
  return { id: Number(id), revision: Number(revision), cells, body: Object.fromEntries(members), invalid };
}
