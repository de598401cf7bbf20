import { useEffect, useRef, useState } from 'react';
import type { CallerStorage, Client } from '../catalogClient.ts';
import { ImportExpired, type ImportOptions, type ImportProgress, importRows } from '../importRows.ts';
import { type DecimalMark, readSheet, type Sheet, type SheetRow, writeRejects } from '../readSheet.ts';

/** A row that is to be mended. */
export interface RejectedRow extends SheetRow {
  readonly problems: readonly { readonly field: string; readonly reason: string; readonly path?: string | undefined }[];
  /** What is typed over its cells, by column. */
  readonly typed?: Readonly<Record<string, string>>;
}

/** What the user says of a file. */
export interface SheetChoices extends Pick<ImportOptions, 'match'> {
  readonly decimalMark?: DecimalMark | undefined;
}

interface State {
  readonly step: 'ready' | 'reading' | 'looking' | 'looked' | 'importing' | 'stopped' | 'done';
  readonly sheet?: Sheet | undefined;
  /** Of the look, or of the import. */
  readonly progress?: ImportProgress | undefined;
  readonly rejected: readonly RejectedRow[];
  /** Why it failed, or tries again. */
  readonly failure: string;
}

const ready: State = { step: 'ready', rejected: [], failure: '' };

/**
 * Imports a sheet: reads a file, looks what would become of its rows, writes them, and has the rejects mended and sent.
 * @param storage keeps how to go on after a reload
 * @example const sheets = useImport(client, localStorage); // sheets.take(file, {}), then sheets.start({})
 */
export function useImport(client: Client, storage: CallerStorage) {
  const [state, setState] = useState(ready);
  const stopped = useRef(new AbortController());
  useEffect(() => () => stopped.current.abort(), []);

  /** Ends what is under way, whose answers no longer count. */
  async function run(act: (show: (more: Partial<State>) => void, signal: AbortSignal) => Promise<void>): Promise<void> {
    stopped.current.abort();
    stopped.current = new AbortController();
    const { signal } = stopped.current;
    const show = (more: Partial<State>) => signal.aborted || setState((before) => ({ ...before, ...more }));
    try {
      await act(show, signal);
    } catch (error) {
      const rows = error instanceof ImportExpired ? ` Open rows: ${error.rows.join(', ')}.` : '';
      show({ step: 'stopped', failure: (error as Error).message + rows });
    }
  }

  /** @param isLook to write nothing, and show what would be refused */
  const send = (sheet: Sheet, { match }: SheetChoices, isLook: boolean) =>
    run(async (show, signal) => {
      const rows = sheet.rows.filter(({ invalid }) => invalid.length === 0);
      const unread = sheet.rows.filter(({ invalid }) => invalid.length > 0);
      let rejected: RejectedRow[] = unread.map((row) => ({ ...row, problems: row.invalid }));
      show({ ...ready, step: isLook ? 'looking' : 'importing', sheet, rejected, progress: undefined });
      const onFailure = (error: unknown) => show({ failure: `Trying again: ${(error as Error).message}` });
      const options = { storage, signal, onFailure, ...(match && { match }), ...(isLook && { dry_run: true }) };
      for await (const progress of importRows(
        client,
        rows.map(({ body }) => body),
        options,
      )) {
        const refused = progress.rejects.flatMap(({ row, error: { message, fields } }): RejectedRow[] => {
          const { [row - 1]: sent } = rows;
          return sent ? [{ ...sent, problems: fields ?? [{ field: 'row', reason: message }] }] : [];
        });
        rejected = [...rejected, ...refused];
        show({ progress, rejected, failure: '' });
      }
      show({ step: isLook ? 'looked' : 'done' });
    });

  return {
    ...state,
    /** Reads a file and looks. Nothing of a file before stays. */
    take: (file: Blob, choices: SheetChoices) =>
      run(async (show) => {
        show({ ...ready, step: 'reading', sheet: undefined, progress: undefined });
        const { signal } = stopped.current;
        const sheet = await readSheet(file, choices.decimalMark);
        if (!signal.aborted) await send(sheet, choices, true);
      }),
    /** Writes the rows that can be read. */
    start: (choices: SheetChoices) => state.sheet && send(state.sheet, choices, false),
    /** Types over a cell of a reject. */
    type: (line: number, column: string, text: string) =>
      setState((before) => ({
        ...before,
        rejected: before.rejected.map((one) =>
          one.line === line ? { ...one, typed: { ...one.typed, [column]: text } } : one,
        ),
      })),
    /** Reads what is typed as if it was in a file of its own, and writes it. */
    sendAgain: (choices: SheetChoices) =>
      run(async () => {
        const { sheet, rejected } = state;
        if (sheet === undefined) return;
        const typed = rejected.map((one) => ({ ...one, cells: { ...one.cells, ...one.typed } }));
        const mended = await readSheet(
          new Blob([writeRejects(sheet, typed)]),
          choices.decimalMark ?? sheet.decimalMark,
        );
        const rows = rejected.map((one, index): SheetRow => {
          const { cells = {}, body = {}, invalid = [] } = mended.rows[index] ?? {};
          // A row with too many cells would now seem to have no others.
          return { line: one.line, cells, body, invalid: one.typed || invalid.length > 0 ? invalid : one.invalid };
        });
        await send({ ...mended, columns: sheet.columns, rows }, choices, false);
      }),
    stop(): void {
      stopped.current.abort();
      setState((before) => ({ ...before, step: 'stopped' }));
    },
    /** As a file, to be mended elsewhere. */
    rejects: (): Blob => new Blob(state.sheet ? [writeRejects(state.sheet, state.rejected)] : [], { type: 'text/csv' }),
  };
}
