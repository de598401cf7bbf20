import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import type { CallerStorage } from '../../client/catalogClient.ts';
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
const storedLine = z.object({ stored: z.string().nullable() });

/**
 * What an undo has done, kept in a file of JSON Lines, so that it can go on when it was interrupted: which changes are
 * undone, then the values that updates overwrite, before these are sent, and what the client keeps of them.
 */
export class UndoFile implements CallerStorage {
  readonly #path: string;
  readonly #noted = new Set<string>();
  #stored: string | null;
  readonly mistake: Mistake;

  private constructor(path: string, mistake: Mistake, stored: string | null) {
    this.#path = path;
    this.mistake = mistake;
    this.#stored = stored;
  }

  /** @throws CommandError if the file is about something else */
  static open(path: string, asked: Asked): UndoFile {
    const undo = JSON.stringify(asked);
    const isNew = !existsSync(path);
    const text = isNew ? '' : readFileSync(path, 'utf8');
    const lines = text.split('\n').map(parsed);
    const begun = head.safeParse(lines[0]).data;
    if (begun?.undo === undo) {
      // An incomplete last line ends here. What it was to note was not done.
      appendFileSync(path, '\n');
      const stored = lines.flatMap((line) => storedLine.safeParse(line).data ?? []).at(-1)?.stored ?? null;
      return new UndoFile(path, mistakeOf({ ...asked, to: begun.to }), stored);
    }
    if (begun !== undefined || text.includes('\n'))
      throw new CommandError(`The file ${path} is not about this undo. Give the name of a new file to begin it.`);
    const mistake = mistakeOf(asked);
    // Another run may have begun it meanwhile.
    writeFileSync(path, `${JSON.stringify({ undo, to: +mistake.to })}\n`, { flag: isNew ? 'wx' : 'w' });
    return new UndoFile(path, mistake, null);
  }

  getItem(): string | null {
    return this.#stored;
  }

  setItem(_: string, value: string | null): void {
    this.#append([JSON.stringify({ stored: value })]);
    this.#stored = value;
  }

  removeItem(slot: string): void {
    if (this.#stored !== null) this.setItem(slot, null);
  }

  /** Notes the values that are about to be overwritten. */
  overwrite(report: readonly FieldReport[]): void {
    const lines = report
      .filter(isBack)
      .map(({ item, field, now, before }) => JSON.stringify({ item, field, now, before }));
    const added = lines.filter((line) => !this.#noted.has(line));
    for (const line of added) this.#noted.add(line);
    this.#append(added);
  }

  #append(lines: readonly string[]): void {
    if (lines.length > 0) appendFileSync(this.#path, lines.map((line) => `${line}\n`).join(''));
  }
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
