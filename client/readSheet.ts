import { rejectHead, rejectLine } from '../portable/sheet/csvLine.ts';
import type { Schemas } from './catalogClient.ts';

/** Why a cell, or a row, cannot be read: the rest of a sentence that begins with the field's name. */
export interface SheetProblem {
  readonly field: string;
  readonly reason: string;
  readonly rule: 'unreadable';
}

export interface SheetRow {
  /** The line of the file on which it begins, counted from 1. */
  readonly line: number;
  /** As they are in the file, by column. */
  readonly cells: Readonly<Record<string, string>>;
  /** What `importRows` takes, unless something in it cannot be read. */
  readonly body: Schemas['Row'];
  readonly invalid: readonly SheetProblem[];
}

export type DecimalMark = '.' | ',';

export interface Sheet {
  readonly columns: readonly string[];
  readonly rows: readonly SheetRow[];
  readonly separator: string;
  /** How decimals are written. Undefined if nobody has said it, and only whole numbers are certain. */
  readonly decimalMark: DecimalMark | undefined;
}

/** A file of which nothing can be read. */
export class UnreadableSheet extends Error {
  override readonly name = 'UnreadableSheet';
  /** The columns that are unknown or named twice. If there are none, the file is not UTF-8. */
  readonly columns: readonly string[];

  constructor(columns: readonly string[]) {
    const wrong = `has columns that are unknown or named twice: ${columns.join(', ')}`;
    super(`The file ${columns.length > 0 ? wrong : 'is not UTF-8: save it as "CSV UTF-8"'}.`);
    this.columns = columns;
  }
}

/** What the worker sends: rows, then the rest of the sheet, or why there is none. */
export type SheetMessage =
  | { readonly rows: readonly SheetRow[] }
  | Omit<Sheet, 'rows'>
  | { readonly wrong: readonly string[] }
  | { readonly failure: string };

/** What is used of a worker. Node has none of this kind. */
declare const Worker: new (
  url: URL,
  options: { type: 'module' },
) => {
  onmessage: ((event: { data: SheetMessage }) => void) | null;
  onerror: ((event: object) => void) | null;
  postMessage(message: { file: Blob; decimalMark: DecimalMark | undefined }): void;
  terminate(): void;
};

/**
 * Reads a CSV file as `item import` does, in a worker, so that the page stays responsive.
 * @param decimalMark how decimals are written, if the user has said it
 * @throws UnreadableSheet; Error if the file or the worker cannot be loaded
 */
export async function readSheet(file: Blob, decimalMark?: DecimalMark): Promise<Sheet> {
  // Bundlers know this expression, and take the worker along.
  const worker = new Worker(new URL('./sheetWorker.js', import.meta.url), { type: 'module' });
  const rows: SheetRow[] = [];
  try {
    return await new Promise((resolve, reject) => {
      worker.onerror = () => reject(new Error('The worker that reads sheets could not be loaded.'));
      worker.onmessage = ({ data }) => {
        if ('rows' in data) rows.push(...data.rows);
        else if ('columns' in data) resolve({ ...data, rows });
        else reject('wrong' in data ? new UnreadableSheet(data.wrong) : new Error(data.failure));
      };
      worker.postMessage({ file, decimalMark });
    });
  } finally {
    worker.terminate();
  }
}

/**
 * CSV with what is wrong with each row, to be mended and read again.
 * @param problems a line, cells and problems of each row
 */
export const writeRejects = (
  { columns, separator }: Pick<Sheet, 'columns' | 'separator'>,
  rows: readonly (Pick<SheetRow, 'line' | 'cells'> & { readonly problems: readonly ProblemShown[] })[],
): string => rejectHead(columns, separator) + rows.map((row) => rejectLine(columns, separator, row)).join('');

/** A `SheetProblem`, or one of the service's. */
type ProblemShown = { readonly field: string; readonly reason: string; readonly path?: string | undefined };
