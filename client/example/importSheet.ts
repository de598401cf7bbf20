// A sheet of items: read, sent, and its rejects mended in place and sent again.
import type { Client } from 'catalog-client';
import { ImportExpired, type ImportProgress, importRows } from 'catalog-client/importRows';
import { type DecimalMark, readSheet, type Sheet, type SheetRow, writeRejects } from 'catalog-client/readSheet';
import { byId, counted, element } from './elements.ts';

const [file, match, decimals] = [
  byId<HTMLInputElement>('sheet'),
  byId<HTMLSelectElement>('match'),
  byId<HTMLSelectElement>('decimals'),
];
const [drop, bar, table] = [byId('drop'), byId<HTMLProgressElement>('bar'), byId<HTMLTableElement>('rejects')];

/** So many rejects are shown to be mended here. The others are in the download. */
const maxShown = 100;

interface Rejected extends SheetRow {
  readonly problems: readonly { readonly field: string; readonly reason: string; readonly path?: string }[];
}

let client: Client;
let sheet: Sheet | undefined;
let rejected: Rejected[] = [];
let stopped = new AbortController();

/** Call it after each sign-in. */
export function openImport(signedIn: Client): void {
  client = signedIn;
  byId('import').hidden = false;
}

async function send(read: Sheet): Promise<void> {
  sheet = read;
  stopped.abort();
  stopped = new AbortController();
  const { signal } = stopped;
  const rows = read.rows.filter(({ invalid }) => invalid.length === 0);
  rejected = read.rows.filter((row) => !rows.includes(row)).map((row) => ({ ...row, problems: row.invalid }));
  byId('stop').hidden = false;
  showRejects();
  const options = {
    ...{
      storage: localStorage,
      signal,
      onFailure: (error: unknown) => tell(`Trying again: ${(error as Error).message}`),
    },
    ...(match.value !== '' && { match: match.value as 'sku' | 'pn' }),
  };
  for await (const progress of importRows(
    client,
    rows.map(({ body }) => body),
    options,
  )) {
    if (signal.aborted) return;
    for (const { row, error } of progress.rejects) {
      const { message: reason, fields: problems = [{ field: 'row', reason }] } = error;
      const refused = rows[row - 1];
      if (refused !== undefined) rejected.push({ ...refused, problems });
    }
    showProgress(progress, rows.length);
    if (progress.rejects.length > 0 || progress.left === 0) showRejects();
  }
  byId('stop').hidden = true;
}

function showProgress({ done, replayed, left, rowsPerSecond, isNoted }: ImportProgress, all: number): void {
  [bar.hidden, bar.max, bar.value] = [false, Math.max(all, 1), all - left];
  const pace = Math.round(rowsPerSecond);
  const parts = [`${counted(done)} rows done`, `${counted(rejected.length)} rejected`];
  if (replayed > 0) parts.push(`${counted(replayed)} of them were there from before`);
  if (left > 0) parts.push(`${counted(left)} left`);
  if (pace > 0) parts.push(`${counted(pace)} a second`);
  if (left > 0 && !isNoted) parts.push('which the browser could not note: keep this page open');
  tell(`${parts.join(', ')}.`);
}

const tell = (text: string) => byId('told').replaceChildren(text);

function showRejects(): void {
  const columns = sheet?.columns.filter((column) => !column.startsWith('reject_')) ?? [];
  const head = ['Line', ...columns, 'Why'].map((text) => element('th', text));
  const lines = rejected.slice(0, maxShown).map(({ line, cells, problems }) => {
    const inputs = columns.map((column) => {
      const input = Object.assign(document.createElement('input'), { value: cells[column] ?? '' });
      [input.ariaLabel, input.ariaInvalid] = [
        column,
        String(problems.some(({ field, path = '' }) => isIn(column, field, path))),
      ];
      return element('td', input);
    });
    const why = problems.map(({ field, path = '', reason }) => `${field}${path} ${reason}`).join('; ');
    return element('tr', element('td', String(line)), ...inputs, element('td', why));
  });
  table.replaceChildren(element('tr', ...head), ...lines);
  byId('mend').hidden = rejected.length === 0;
  byId('more').textContent =
    rejected.length > maxShown ? `${rejected.length - maxShown} more are in the download.` : '';
}

const isIn = (column: string, field: string, path: string) => [field, `${field}.${path.slice(1)}`].includes(column);

/** Reads what is typed in the table as if it was in a file of its own. */
async function sendAgain(): Promise<void> {
  if (sheet === undefined) return;
  const { columns } = sheet;
  const named = columns.filter((column) => !column.startsWith('reject_'));
  const typed = rejected.map((one, index) => {
    const inputs = [...(table.rows[index + 1]?.querySelectorAll('input') ?? [])];
    const changes = inputs.map(({ value }, at) => [named[at] ?? '', value] as const);
    const isMended = changes.some(([column, value]) => value !== (one.cells[column] ?? ''));
    return { ...one, cells: { ...one.cells, ...Object.fromEntries(changes) }, isMended };
  });
  const mended = await readSheet(new Blob([writeRejects(sheet, typed)]), said() ?? sheet.decimalMark);
  const rows = typed.map(({ line, isMended, invalid }, index): SheetRow => {
    const { cells = {}, body = {}, invalid: stillInvalid = [] } = mended.rows[index] ?? {};
    // A row with too many cells would now seem to have no others.
    return { line, cells, body, invalid: isMended || stillInvalid.length > 0 ? stillInvalid : invalid };
  });
  await send({ ...mended, columns, rows });
}

const said = () => (decimals.value === '' ? undefined : (decimals.value as DecimalMark));

const attempt = (act: () => Promise<void>) => () =>
  void act().catch((error: Error) => {
    byId('stop').hidden = true;
    const open = error instanceof ImportExpired ? ` Open rows: ${error.rows.join(', ')}.` : '';
    tell(error.message + open);
  });
const take = (chosen: File | undefined) => attempt(async () => chosen && send(await readSheet(chosen, said())))();

file.onchange = () => {
  take(file.files?.[0]);
  file.value = '';
};
drop.ondragover = (event) => event.preventDefault();
drop.ondrop = (event) => {
  event.preventDefault();
  take(event.dataTransfer?.files[0]);
};
byId('stop').onclick = () => {
  stopped.abort();
  byId('stop').hidden = true;
};
byId('again').onclick = attempt(sendAgain);
byId('download').onclick = () => {
  if (sheet === undefined) return;
  const href = URL.createObjectURL(new Blob([writeRejects(sheet, rejected)], { type: 'text/csv' }));
  Object.assign(document.createElement('a'), { href, download: 'rejects.csv' }).click();
  URL.revokeObjectURL(href);
};
