import type { Schemas } from '../http/catalogClient.ts';
import type { SheetCategory } from '../sheet/categories.ts';
import type { ColumnMapping } from '../sheet/columns.ts';
import { type RejectedRow, type RejectedSheet, rejectHead, rejectLine } from '../sheet/csvLine.ts';
import type { InspectedSheet } from '../sheet/inspectSheet.ts';
import type { SheetAnswers, SheetProblem, SheetQuestion, SheetWarning } from '../sheet/notices.ts';
import type { DecimalMark } from '../sheet/readAmount.ts';
import { isWorkbook } from '../sheet/records.ts';
import type { InspectedRow } from '../sheet/rowReader.ts';
import { NotLoaded } from './notLoaded.ts';

export type { ColumnMapping, DecimalMark, SheetAnswers, SheetProblem, SheetQuestion, SheetWarning };

export interface SheetRow extends Omit<InspectedRow, 'body'> {
  /** What `importRows` takes, unless something is `invalid`. Then a dry run of it tells what else is wrong. */
  readonly body: Schemas['Row'];
}

export interface Sheet extends Omit<InspectedSheet, 'questions' | 'rows'> {
  readonly rows: readonly SheetRow[];
}

/**
 * A file of which nothing is read before the user has answered.
 * @example if (error instanceof UnreadableSheet) ask(error.questions);
 */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet';
  readonly questions: readonly SheetQuestion[];
  /** What each column is, as far as it is known. */
  readonly mapping: readonly ColumnMapping[];
  /** The names of the columns that are unknown. */
  readonly columns: readonly string[];

  constructor(questions: readonly SheetQuestion[], mapping: readonly ColumnMapping[]) {
    super(questions.map(({ text }) => text).join(' '));
    [this.questions, this.mapping] = [questions, mapping];
    this.columns = mapping.filter(({ target }) => target === undefined).map(({ name }) => name);
  }
}

export interface SheetRequest {
  readonly file: Blob;
  readonly answers: SheetAnswers;
  readonly categories: readonly SheetCategory[] | undefined;
}

/** What a worker answers: rows, then the rest of the sheet, or why there is none. */
export type SheetMessage =
  | { readonly rows: readonly SheetRow[] }
  | Omit<Sheet, 'rows'>
  | { readonly questions: readonly SheetQuestion[]; readonly mapping: readonly ColumnMapping[] }
  | { readonly failure: string };

/** What is used of a worker. Node has none of this kind. */
declare const Worker: new (
  url: URL,
  options: { type: 'module' },
) => {
  onmessage: ((event: { data: SheetMessage }) => void) | null;
  onerror: ((event: object) => void) | null;
  postMessage(message: SheetRequest): void;
  terminate(): void;
};

/**
 * Reads a CSV or `.xlsx` file as `item import` does, in a worker, so that the page stays responsive.
 * @param answers what the user has said, or only how decimals are written
 * @param categories of `loadCatalog`, to find them by their names
 * @throws UnreadableSheet; NotLoaded if the worker cannot be loaded; Error if the file cannot
 * @example const { rows, warnings } = await readSheet(file, {}, catalog.categories);
 */
export async function readSheet(
  file: Blob,
  answers: SheetAnswers | DecimalMark = {},
  categories?: readonly SheetCategory[],
): Promise<Sheet> {
  const isText = !isWorkbook(new Uint8Array(await file.slice(0, 4).arrayBuffer()));
  // Bundlers know these expressions, and take the workers along.
  const worker = isText
    ? new Worker(new URL('./sheetWorker.js', import.meta.url), { type: 'module' })
    : new Worker(new URL('./workbookWorker.js', import.meta.url), { type: 'module' });
  const rows: SheetRow[] = [];
  try {
    return await new Promise((resolve, reject) => {
      worker.onerror = () => reject(new NotLoaded());
      worker.onmessage = ({ data }) => {
        if ('rows' in data) rows.push(...data.rows);
        else if ('columns' in data) resolve({ ...data, rows });
        else reject('questions' in data ? new UnreadableSheet(data.questions, data.mapping) : new Error(data.failure));
      };
      worker.postMessage({ file, answers: typeof answers === 'string' ? { decimal: answers } : answers, categories });
    });
  } finally {
    worker.terminate();
  }
}

/**
 * CSV with what is wrong with each row, to be mended and read again.
 * @example const csv = writeRejects(sheet, [{ line: 7, cells, problems }]);
 */
export const writeRejects = (sheet: RejectedSheet, rows: readonly RejectedRow[]): string =>
  rejectHead(sheet) + rows.map((row) => rejectLine(sheet, row)).join('');
