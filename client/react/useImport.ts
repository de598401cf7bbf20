import type { CallerStorage, Catalog, Client } from '../http/catalogClient.ts';
import { ImportExpired, type ImportOptions, type ImportProgress, importRows, type Row } from '../import/importRows.ts';
import { type Look, lookAtRows } from '../import/lookAtRows.ts';
import { notesIn } from '../notes.ts';
import {
  readSheet,
  type Sheet,
  type SheetAnswers,
  type SheetColumn,
  type SheetQuestion,
  type SheetRow,
  UnreadableSheet,
  writeRejects,
} from '../sheet/readSheet.ts';
import { useRun } from './useRun.ts';

/** A row that is to be mended. */
export interface RejectedRow extends SheetRow {
  readonly problems: readonly { readonly field: string; readonly reason: string; readonly path?: string | undefined }[];
  /** What is typed over its cells, by column. */
  readonly typed?: Readonly<Record<string, string>>;
}

/** What the user says of the rows: which items they are of, and whether others are created. */
export interface RowChoices extends Pick<ImportOptions, 'create'> {
  readonly match?: ImportOptions['match'] | 'id';
}

interface State {
  readonly step: 'ready' | 'reading' | 'asked' | 'looking' | 'looked' | 'importing' | 'stopped' | 'done';
  readonly file?: Blob | undefined;
  readonly answers: SheetAnswers;
  readonly choices: RowChoices;
  /** What is to be answered before the file can be read. */
  readonly questions: readonly SheetQuestion[];
  readonly columns: readonly SheetColumn[];
  readonly sheet?: Sheet | undefined;
  readonly look?: Look | undefined;
  readonly progress?: ImportProgress | undefined;
  readonly rejected: readonly RejectedRow[];
  /** Why it failed, or tries again. */
  readonly failure: string;
}

const nothing = { file: undefined, sheet: undefined, look: undefined, progress: undefined, failure: '' };
const ready: State = { ...nothing, step: 'ready', answers: {}, choices: {}, questions: [], columns: [], rejected: [] };

/**
 * Imports a sheet: reads a file, asks what cannot be known, looks what would become of its rows, writes them, and has the
 * rejects mended and sent.
 * @param storage keeps how to go on after a reload, and what columns were told to be
 * @example const sheets = useImport(client, catalog, localStorage); // sheets.take(file), then sheets.start()
 */
export function useImport(client: Client, catalog: Catalog, storage: CallerStorage) {
  const { state, show, run, abort } = useRun<State>(ready, (error) => {
    const rows = error instanceof ImportExpired ? ` Open rows: ${error.rows.join(', ')}.` : '';
    return { step: 'stopped', failure: error.message + rows };
  });
  /** What the column of a name was told to be. */
  const known = notesIn<string>(storage, 'catalog.columns');

  /** Reads a file and looks. Nothing of a file before stays. */
  const read = (file: Blob, answers: SheetAnswers, choices: RowChoices): Promise<boolean> =>
    run(async (show, signal) => {
      show({ ...ready, step: 'reading', file, answers, choices });
      try {
        const sheet = await readSheet(file, answers, catalog.categories);
        if (!signal.aborted) await send(sheet, choices);
      } catch (error) {
        if (!(error instanceof UnreadableSheet)) throw error;
        const { questions, meanings: columns } = error;
        const told = columns.flatMap(({ name, target }) => (target === undefined ? (known.read(name) ?? []) : []));
        if (told.length > 0 && answers.columns === undefined && !signal.aborted)
          await read(file, { ...answers, columns: columnsOf(columns, ({ name }) => known.read(name)) }, choices);
        else show({ step: 'asked', questions, columns });
      }
    });

  /** @param look without it, only looks */
  const send = (sheet: Sheet, choices: RowChoices, look?: Look) =>
    run(async (show, signal) => {
      const rows = sheet.rows.filter(({ invalid }) => invalid.length === 0);
      const unread = sheet.rows.filter(({ invalid }) => invalid.length > 0);
      let rejected: RejectedRow[] = unread.map((row) => ({ ...row, problems: row.invalid }));
      const step = look === undefined ? 'looking' : 'importing';
      show({ step, sheet, choices, columns: sheet.meanings, rejected, look, progress: undefined, failure: '' });
      const onFailure = (error: unknown) => show({ failure: `Trying again: ${(error as Error).message}` });
      const { match = rows.some(({ id }) => id !== undefined) ? 'id' : undefined, create } = choices;
      const bodies = rows.map(({ body, id, revision }) => (match === 'id' ? { ...body, id, revision } : body)) as Row[];
      const nameOf = (row: number) => `line ${rows[row - 1]?.line}`;
      const options = { storage, signal, onFailure, nameOf, create, match: match === 'id' ? undefined : match };
      if (look !== undefined) {
        for await (const progress of importRows(client, bodies, { ...options, look })) {
          rejected = [...rejected, ...progress.rejects.flatMap(({ row, error }) => rejectOf(rows[row - 1], error))];
          show({ progress, rejected, failure: '' });
        }
        return show({ step: 'done' });
      }
      for await (const seen of lookAtRows(client, bodies, options)) {
        show({ look: seen, failure: '' });
        if (seen.left > 0) continue;
        const refused = seen.rows.flatMap(({ error }, index) => rejectOf(rows[index], error));
        show({ step: 'looked', rejected: [...rejected, ...refused] });
      }
    });

  const { sheet, file, answers, choices, look } = state;
  return {
    ...state,
    /** Reads a file, with what was said of decimals before. */
    take: (taken: Blob) => read(taken, { decimal: answers.decimal }, choices),
    /** Reads the file again, with one more answer; an empty one takes it back. */
    answer(option: keyof SheetAnswers, text: string): void {
      const said = { ...answers, [option]: option === 'header' ? Number(text) : text || undefined };
      if (file) read(file, said, choices);
      else show({ answers: said });
    },
    /** Says what each column is, which is known the next time. */
    tell(meanings: ReadonlyMap<string, string>): void {
      for (const [name, target] of meanings) known.write(name, target);
      if (file)
        read(file, { ...answers, columns: columnsOf(state.columns, ({ name }) => meanings.get(name)) }, choices);
    },
    /** Says what the rows are, and looks again. */
    choose(more: RowChoices): void {
      if (sheet === undefined) show({ choices: { ...choices, ...more } });
      else send(sheet, { ...choices, ...more });
    },
    /** Does what was looked at. */
    start: () => sheet && look && send(sheet, choices, look),
    /** Types over a cell of a reject. */
    type: (line: number, column: string, text: string) =>
      show({
        rejected: state.rejected.map((one) =>
          one.line === line ? { ...one, typed: { ...one.typed, [column]: text } } : one,
        ),
      }),
    /** Reads what is typed as if it was in a file of its own, and looks at it. */
    mend: () =>
      run(async () => {
        if (sheet === undefined) return;
        const typed = state.rejected.map((one) => ({ ...one, cells: { ...one.cells, ...one.typed } }));
        const columns = columnsOf(sheet.meanings, ({ target }) => target);
        const said = { decimal: sheet.decimalMark, separator: sheet.separator, header: 1, columns };
        const mended = await readSheet(new Blob([writeRejects(sheet, typed)]), said, catalog.categories);
        const rows = state.rejected.map((one, index): SheetRow => {
          const { [index]: now = { ...one, body: {}, invalid: [] } } = mended.rows;
          // A row with too many cells would now seem to have no others.
          const invalid = one.typed || now.invalid.length > 0 ? now.invalid : one.invalid;
          return { ...now, line: one.line, invalid };
        });
        await send({ ...mended, columns: sheet.columns, meanings: sheet.meanings, rows }, choices);
      }),
    stop(): void {
      abort();
      show({ step: 'stopped' });
    },
    /** As a file, to be mended elsewhere. */
    rejects: (): Blob => new Blob(sheet ? [writeRejects(sheet, state.rejected)] : [], { type: 'text/csv' }),
  };
}

/** As `SheetAnswers` have it. What is not told is left out of the file. */
const columnsOf = (columns: readonly SheetColumn[], targetOf: (column: SheetColumn) => string | undefined): string =>
  columns.map((column) => `${column.name}=${targetOf(column) ?? 'ignore'}`).join(',');

type RowError = { readonly message: string; readonly fields?: RejectedRow['problems'] | undefined };

const rejectOf = (row: SheetRow | undefined, error: RowError | undefined): RejectedRow[] =>
  row && error ? [{ ...row, problems: error.fields ?? [{ field: 'row', reason: error.message }] }] : [];
