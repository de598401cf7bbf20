/** Which row of a file names its columns. */

import { targetOf } from './columns.ts';
import { suggestionFor } from './columnWords.ts';
import type { SheetQuestion } from './notices.ts';
import type { Cell, SheetRecord } from './records.ts';
import { isBlank, trimmed } from './thirdPartyCells.ts';

const isKnown = (cell: Cell): boolean => targetOf(trimmed(String(cell))) !== undefined;

/** How many cells are or seem to be names of columns. */
export const columnsNamed = ({ cells }: SheetRecord): number =>
  cells.filter((cell) => isKnown(cell) || suggestionFor(String(cell)) !== undefined).length;

const filledIn = ({ cells }: SheetRecord): number => cells.filter((cell) => !isBlank(cell)).length;

/** The row that names the columns: the first one, or one below a title. @param first the beginning of the file */
export function findHeading(
  first: readonly SheetRecord[],
  records: () => Iterable<SheetRecord>,
  line: number | undefined,
): SheetRecord | SheetQuestion {
  if (line !== undefined) {
    for (const record of records()) if (record.line >= line) return record;
    const text = `The file has no line ${line}.`;
    return { option: 'header', rule: 'no_such_line', values: { line }, text, readings: [] };
  }
  const [top = { line: 1, cells: [] }] = first;
  const most = Math.max(0, ...first.map(columnsNamed));
  const best = first.find((record) => columnsNamed(record) === most) ?? top;
  const isTitle = filledIn(top) < 3 && filledIn(top) * 2 <= Math.max(...first.map(filledIn));
  if (most < 2 ? !isTitle : best === top) return top;
  if (isTitle && best.cells.filter(isKnown).length > 1) return best;
  const readings = first.slice(0, 8).map(({ line: at, cells }) => ({ answer: String(at), shown: cells.join(' | ') }));
  return { option: 'header', rule: 'which_header', values: {}, text: 'Which line names the columns?', readings };
}
