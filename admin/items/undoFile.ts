import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import type { FieldReport, Mistake } from '../../client/undo.ts';
import { isBack } from '../../portable/undo/planRows.ts';

/** What was asked for, by which a file is recognized when the undo goes on. */
export interface Asked extends Omit<Mistake, 'from' | 'to'> {
  readonly table: string;
  readonly account: string;
  /** Times, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The mistake, which ends when the undo began unless `to` was asked for. */
export const mistakeOf = ({ table: _, account: __, from, to = Date.now(), ...rest }: Asked): Mistake => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});

const head = z.object({ undo: z.string(), to: z.int() });

/**
 * What an undo has overwritten, kept in a file of JSON Lines, so that it can go on when it was interrupted: which changes
 * are undone, then the values that updates overwrite, before these are sent.
 */
export class UndoFile {
  readonly #path: string;
  readonly #noted = new Set<string>();
  readonly mistake: Mistake;

  private constructor(path: string, mistake: Mistake) {
    this.#path = path;
    this.mistake = mistake;
  }

  /** @throws CommandError if the file is about something else */
  static open(path: string, asked: Asked): UndoFile {
    const undo = JSON.stringify(asked);
    const isNew = !existsSync(path);
    const [first = '', ...others] = isNew ? [] : readFileSync(path, 'utf8').split('\n');
    const begun = head.safeParse(parsed(first)).data;
    if (begun?.undo === undo) {
      // An incomplete last line ends here. What it was to note was not done.
      appendFileSync(path, '\n');
      return new UndoFile(path, mistakeOf({ ...asked, to: begun.to }));
    }
    if (begun !== undefined || others.length > 0)
      throw new CommandError(`The file ${path} is not about this undo. Give the name of a new file to begin it.`);
    const mistake = mistakeOf(asked);
    // Another run may have begun it meanwhile.
    writeFileSync(path, `${JSON.stringify({ undo, to: +mistake.to })}\n`, { flag: isNew ? 'wx' : 'w' });
    return new UndoFile(path, mistake);
  }

  /** Notes the values that are about to be overwritten. */
  overwrite(report: readonly FieldReport[]): void {
    const back = report.filter(isBack).map(({ item, field, now, before }) => ({ item, field, now, before }));
    const added = back.map((one) => `${JSON.stringify(one)}\n`).filter((line) => !this.#noted.has(line));
    for (const line of added) this.#noted.add(line);
    appendFileSync(this.#path, added.join(''));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
