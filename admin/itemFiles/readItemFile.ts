import { readFile } from 'node:fs/promises';
import { CommandError } from '../../cli/print.ts';
import type { ImportQuestion, Sheet, SheetRow } from '../../client/import/1-read.ts';
import type { SheetCategory } from '../../client/sheet/categories.ts';
import { inspectSheet } from '../../client/sheet/inspectSheet.ts';
import { type SheetAnswers, UnreadableFile } from '../../client/sheet/notices.ts';
import { isWorkbook } from '../../client/sheet/records.ts';
import { readWorkbook } from '../../client/sheet/workbook.ts';

/** @throws CommandError if the file cannot be read */
export async function openFile(path: string): Promise<File> {
  const bytes = await readFile(path).catch((error: Error) => {
    throw new CommandError(`The file ${path} cannot be read: ${error.message}.`);
  });
  return new File([bytes], path);
}

/**
 * Reads all of a sheet, as an import takes it.
 * @throws CommandError if it is no sheet; UnreadableSheet with the questions that have to be answered first
 */
export async function readItemFile(
  file: File,
  answers: SheetAnswers,
  categories?: readonly SheetCategory[],
): Promise<Sheet> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const source = isWorkbook(bytes) ? readWorkbook(bytes) : bytes;
    const { rows, ...form } = inspectSheet(source, answers, categories);
    return { ...form, rows: [...rows()] as SheetRow[] };
  } catch (error) {
    throw error instanceof UnreadableFile ? new CommandError(`The file ${file.name}: ${error.message}`) : error;
  }
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

/** Names of signs on the command line. */
export const signs = { point: '.', comma: ',', semicolon: ';', tab: '\t' } as const;

const quotedAnswer = (answer: string): string =>
  Object.entries(signs).find(([, sign]) => sign === answer)?.[0] ?? `'${answer.replaceAll("'", String.raw`'\''`)}'`;
