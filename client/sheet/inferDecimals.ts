import { type Column, type Mark, readingsOf } from './columnProfile.ts';
import { isAmount, isCustom } from './exportCells.ts';
import type { Occurrence, SheetQuestion } from './notices.ts';
import type { DecimalMark } from './readAmount.ts';

/**
 * Infers the decimal mark of a file from all its amounts. In an export that a spreadsheet has saved, custom numbers decide if
 * no amount does.
 * @param isOwn whether the file is an export of ours, which has commas between its cells unless a spreadsheet has saved it
 * @returns a question if it cannot be known
 */
export function inferDecimals(
  columns: readonly Column[],
  isOwn: boolean,
  separator: string,
): DecimalMark | SheetQuestion {
  if (isOwn && separator === ',') return '.';
  const marksOf = (isIt: (target: string) => boolean) =>
    columns.flatMap(({ target = '', profile }) => (isIt(target) ? [...profile.marks] : []));
  const first = new Map<Mark, Occurrence>();
  for (const [mark, occurrence] of marksOf(isAmount))
    if (occurrence.line < (first.get(mark)?.line ?? Number.POSITIVE_INFINITY)) first.set(mark, occurrence);
  if (first.size === 0) return isOwn && marksOf(isCustom).some(([mark]) => mark === ',') ? ',' : '.';
  if (first.has('.') !== first.has(',')) return first.has('.') ? '.' : ',';
  const cells = [...first.values()];
  const readings = (['.', ','] as const).map((answer) => ({
    answer,
    shown: cells
      .map(({ line, cell }) => `${cell} (line ${line}) is ${readingsOf(cell)[answer] ?? 'no number'}`)
      .join(', '),
  }));
  const text = 'The decimal mark of the numbers cannot be known.';
  return { option: 'decimal', rule: 'decimal', values: { cells: cells.map(({ cell }) => cell) }, text, readings };
}
