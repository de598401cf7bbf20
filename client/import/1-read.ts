import { type IdentifierName, identifierNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Client, Item, Schemas } from '../http/catalogClient.ts';
import { type PollOptions, retryUntilDone } from '../http/retryUntilDone.ts';
import { loadItems } from '../items/readItems.ts';
import type { SheetCategory } from '../sheet/categories.ts';
import { type RejectedRow, type RejectedSheet, rejectHead, rejectLine } from '../sheet/csvLine.ts';
import type { InspectedSheet } from '../sheet/inspectSheet.ts';
import { type ColumnMapping, type SheetAnswers, type SheetQuestion, UnreadableSheet } from '../sheet/notices.ts';
import type { DecimalMark } from '../sheet/readAmount.ts';
import { isWorkbook } from '../sheet/records.ts';
import type { InspectedRow } from '../sheet/rowReader.ts';
import { ImportError } from './importFailure.ts';

export interface SheetRow extends Omit<InspectedRow, 'body'> {
  /** What `importRows` takes, unless something is `invalid`. Then a dry run of it tells what else is wrong. */
  readonly body: Schemas['Row'];
}

/** What the file says, besides its rows. */
export type SheetForm = Omit<InspectedSheet, 'rows'>;

export interface Sheet extends SheetForm {
  readonly rows: readonly SheetRow[];
}

export interface SheetRequest {
  readonly file: Blob;
  readonly answers: SheetAnswers;
  readonly categories: readonly SheetCategory[] | undefined;
}

/** What a worker answers: rows, then the rest of the sheet, or why there is none. */
export type SheetMessage =
  | { readonly rows: readonly SheetRow[] }
  | SheetForm
  | { readonly questions: readonly SheetQuestion[]; readonly mapping: readonly ColumnMapping[] }
  | { readonly failure: string };

/** The used part of a worker. Node has none of this kind. */
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
 * @throws UnreadableSheet; ImportError if the worker cannot be loaded; Error if the file cannot
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
      worker.onerror = () => reject(new ImportError('not_loaded'));
      worker.onmessage = ({ data }) => {
        if ('rows' in data) rows.push(...data.rows);
        else if ('columns' in data) resolve({ ...data, rows });
        else reject('questions' in data ? new UnreadableSheet(data.questions, data.mapping) : new Error(data.failure));
      };
      const given = { answers: typeof answers === 'string' ? { decimal: answers } : answers, categories };
      // A worker takes no proxies, as which Vue, Pinia and MobX keep a catalog.
      worker.postMessage({ file, ...(JSON.parse(JSON.stringify(given)) as typeof given) });
    });
  } finally {
    worker.terminate();
  }
}

/**
 * CSV with what is wrong with each row, to be fixed and read again.
 * @example const csv = writeRejects(sheet, [{ line: 7, cells, problems }]);
 */
export const writeRejects = (sheet: RejectedSheet, rows: readonly RejectedRow[]): string =>
  rejectHead(sheet) + rows.map((row) => rejectLine(sheet, row)).join('');

/** What only the user can know. */
export interface ImportQuestion extends Omit<SheetQuestion, 'option' | 'rule'> {
  /** `match`: which items the rows of an export of this account are. */
  readonly option: SheetQuestion['option'] | 'match';
  /** `own_export`, with one of its items in the `values`. */
  readonly rule: SheetQuestion['rule'] | 'own_export';
}

/** The id of a row, also if its column is left out because the file has no revisions. */
const idOf = ({ id, cells }: SheetRow): number => id ?? Number(cells['id']);

/** Whether a row of an export, of which columns may have been removed, is the item that has its id in this account. */
export const isItemHere = (row: SheetRow['body'], item: Pick<Item, 'name' | IdentifierName>): boolean =>
  (['name', ...identifierNames] as const).some((field) => typeof row[field] === 'string' && row[field] === item[field]);

/**
 * Asks which items the rows of an export are, if it is one of this account, whatever columns were removed: without their
 * ids, they would become others. Ids of items with other names and codes, that were created at another time, mean nothing.
 */
export async function ownExport(
  client: Client,
  rows: readonly SheetRow[],
  options: PollOptions,
): Promise<ImportQuestion | undefined> {
  const named = rows.filter((row) => Number.isSafeInteger(idOf(row)) && idOf(row) > 0).slice(0, limits.page.max);
  const byId = new Map(named.map((row) => [idOf(row), row]));
  const load = () => loadItems(client, [...byId.keys()], options);
  const items = (await retryUntilDone(load, { ...options, inBackground: true })) ?? [];
  const item = items.find((candidate) => {
    const row = byId.get(candidate.id);
    return row !== undefined && (row.cells['create_date'] === candidate.create_date || isItemHere(row.body, candidate));
  });
  if (item === undefined) return undefined;
  const question = { option: 'match', rule: 'own_export', values: { item: item.id } } as const;
  const text = `The file is an export of this account, in which item ${item.id} is.`;
  const others = { answer: 'none', shown: 'create others' };
  const canChange = named.some(({ id }) => id !== undefined);
  if (canChange) return { ...question, text, readings: [{ answer: 'id', shown: 'change these items' }, others] };
  return { ...question, text: `${text} To change its items, keep the column revision.`, readings: [others] };
}
