import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/commandError.ts';
import type { ImportQuestion } from '../../client/import/importState.ts';
import { type Sheet, type SheetAnswers, type SheetRow, UnreadableSheet } from '../../client/import/readSheet.ts';
import type { SheetCategory } from '../../client/sheet/categories.ts';
import { inspectSheet } from '../../client/sheet/inspectSheet.ts';
import { UnreadableFile } from '../../client/sheet/notices.ts';
import { isWorkbook } from '../../client/sheet/records.ts';
import type { WorkbookSheet } from '../../client/sheet/sheetForm.ts';
import { readWorkbook } from '../../client/sheet/workbook.ts';

/**
 * Reads all of a sheet, as an import takes it.
 * @throws CommandError if the file cannot be read; UnreadableSheet with the questions that have to be answered first
 */
export async function readItemFile(
  path: string,
  answers: SheetAnswers,
  categories?: readonly SheetCategory[],
): Promise<Sheet> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CommandError(`The file ${path} cannot be read: ${error.message}.`);
  });
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
