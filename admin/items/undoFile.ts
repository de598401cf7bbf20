import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import * as z from 'zod';
import { CommandError } from '../../cli/commandError.ts';
import { type FieldReport, isBack } from '../../client/undo/plan/undoPlan.ts';
import type { UndoTarget } from '../../client/undo/undoTarget.ts';

/** What was asked for, by which a file is recognized when the undo continues. */
export interface Asked extends Omit<UndoTarget, 'from' | 'to'> {
  readonly table: string;
  readonly account: string;
  /** Times, in milliseconds since 1970. */
  readonly from: number;
  readonly to: number | undefined;
}

/** The changes to undo, which end when the undo began unless `to` was asked for. */
export const undoTargetOf = ({ table: _, account: __, from, to = Date.now(), ...rest }: Asked): UndoTarget => ({
  ...rest,
  from: new Date(from),
  to: new Date(to),
});

/**
 * Opens the file of an undo, or begins it: JSON Lines that say which changes are undone, and then the values that updates
 * overwrite.
 * @throws CommandError if the file is about something else
 */
export function openUndoFile(path: string, asked: Asked) {
  const undo = JSON.stringify(asked);
  const isNew = !existsSync(path);
  const [first = '', ...others] = isNew ? [] : readFileSync(path, 'utf8').split('\n');
  const begun = headIn(first);
  if (begun === undefined ? others.length > 0 : begun.undo !== undo)
    throw new CommandError(`The file ${path} is not about this undo. Give the name of a new file to begin it.`);
  const target = undoTargetOf({ ...asked, to: begun?.to ?? asked.to });
  // An incomplete last line ends here. Its value was not overwritten.
  if (begun !== undefined) appendFileSync(path, '\n');
  // Another run may have begun it meanwhile.
  else writeFileSync(path, `${JSON.stringify({ undo, to: +target.to })}\n`, { flag: isNew ? 'wx' : 'w' });
  const saved = new Set<string>();
  return {
    target,
    /** Saves the values that are about to be overwritten. */
    overwrite(report: readonly FieldReport[]): void {
      const back = report.filter(isBack).map(({ item, field, now, before }) => ({ item, field, now, before }));
      const added = back.map((entry) => `${JSON.stringify(entry)}\n`).filter((line) => !saved.has(line));
      for (const line of added) saved.add(line);
      appendFileSync(path, added.join(''));
    },
  };
}

const head = z.object({ undo: z.string(), to: z.int() });

function headIn(line: string): z.output<typeof head> | undefined {
  try {
    return head.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}
