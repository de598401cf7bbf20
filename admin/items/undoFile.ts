import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import { isBack } from '../../portable/undo/planRows.ts';
import type { UndoNote } from '../../portable/undo/runUndo.ts';
import type { FieldReport, UndoPlan, UndoRow, UndoSelection } from '../../portable/undo/undo.ts';

/** What was asked for, by which a file is recognized when the undo goes on. */
export interface Asked extends Omit<UndoSelection, 'from' | 'to'> {
  readonly table: string;
  readonly account: string;
  /** Times, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The selection, which ends when the undo began unless `to` was asked for. */
export const selectionOf = ({ table: _, account: __, from, to = Date.now(), ...rest }: Asked): UndoSelection => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});

const head = z.object({ asked: z.string(), to: z.int().optional() });
const freedLine = z.object({ freed: z.looseObject({ id: z.int(), revision: z.int() }) });

/**
 * What an undo has done, kept in a file of JSON Lines, so that it can go on when it was interrupted: which changes are
 * undone, then before each update the values that it overwrites, and the identifiers that items give up for a moment.
 */
export class UndoFile implements UndoNote {
  readonly #path: string;
  readonly #freed: UndoRow[];
  readonly selection: UndoSelection;

  private constructor(path: string, selection: UndoSelection, freed: UndoRow[]) {
    this.#path = path;
    this.selection = selection;
    this.#freed = freed;
  }

  /**
   * @throws CommandError if the file is about something else
   */
  static open(path: string, { table, account, from, to, ...rest }: Asked): UndoFile {
    const asked = JSON.stringify({ table, account, from, to, ...rest });
    const chosen = { table, account, from, ...rest };
    const isNew = !existsSync(path);
    const text = isNew ? '' : readFileSync(path, 'utf8');
    const lines = text.split('\n').map(parsed);
    const begun = head.safeParse(lines[0]).data;
    if (begun?.asked === asked) {
      // An incomplete last line ends here. What it was to note was not done.
      appendFileSync(path, '\n');
      const freed = lines.flatMap((line) => freedLine.safeParse(line).data?.freed ?? []) as UndoRow[];
      return new UndoFile(path, selectionOf({ ...chosen, to: begun.to ?? to }), freed);
    }
    if (begun !== undefined || text.includes('\n'))
      throw new CommandError(`The file ${path} is not about this undo. Give the name of a new file to begin it.`);
    const selection = selectionOf({ ...chosen, to });
    // Another run may have begun it meanwhile.
    writeFileSync(path, `${JSON.stringify({ asked, to: +selection.to })}\n`, { flag: isNew ? 'wx' : 'w' });
    return new UndoFile(path, selection, []);
  }

  get freed(): UndoPlan['freed'] {
    return this.#freed;
  }

  keep(all: UndoPlan['freed']): boolean {
    const added = all.slice(this.#freed.length);
    this.#append(added.map((row) => ({ freed: row })));
    this.#freed.push(...added);
    return true;
  }

  /**
   * Notes the values that a row is about to overwrite.
   * @param report on the item
   */
  overwrite(row: UndoRow, report: readonly FieldReport[]): void {
    const isSent = (one: FieldReport) => isBack(one) && one.field.replace(/\..*/s, '') in row;
    const fields = report.filter(isSent).map(({ field, now, before }) => [field, { now, before }]);
    this.#append([{ item: row.id, revision: row.revision, fields: Object.fromEntries(fields) }]);
  }

  #append(lines: readonly object[]): void {
    if (lines.length > 0) appendFileSync(this.#path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
