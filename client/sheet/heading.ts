/** Which row of a file names its columns. */

import { targetOf } from './columns.ts';
import { suggestionFor } from './columnWords.ts';
import { UnreadableSheet } from './notices.ts';
import { amountReadings, isSurelyCurrency } from './readAmount.ts';
import type { Cell, SheetRecord } from './records.ts';
import { isBlank, trimmed } from './thirdPartyCells.ts';

const isKnown = (cell: Cell): boolean => targetOf(trimmed(String(cell))) !== undefined;

/** How many cells are or seem to be names of columns. */
export const columnsNamed = ({ cells }: SheetRecord): number =>
  cells.filter((cell) => isKnown(cell) || suggestionFor(String(cell)) !== undefined).length;

const filledIn = ({ cells }: SheetRecord): number => cells.filter((cell) => !isBlank(cell)).length;

/** `Size 38` is a name. */
const hasAmount = (cell: Cell): boolean => {
  const { '.': point, ',': comma, currency } = amountReadings(String(cell));
  return (point ?? comma) !== undefined && (currency === '' || isSurelyCurrency(currency));
};

/** The beginning of a file, where the heading is looked for. */
export const headOf = (records: readonly SheetRecord[]): readonly SheetRecord[] => records.slice(0, 50);

export const shownRecord = ({ cells }: SheetRecord): string => cells.join(' | ');

/** Stands above the file if no line names the columns. */
function noHeading(records: readonly SheetRecord[]): SheetRecord {
  const width = headOf(records).reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return { line: 0, cells: Array.from({ length: width }, () => '') };
}

/**
 * Whether a line may be a row like those below it: no more of its cells are names than amounts, and either it has amounts, or
 * no column has an amount only below it.
 */
function mayBeRow(top: SheetRecord, below: readonly SheetRecord[]): boolean {
  const amounts = top.cells.filter(hasAmount).length;
  if (columnsNamed(top) > amounts) return false;
  const isTyped = (at: number) => below.some(({ cells }) => hasAmount(cells[at] ?? ''));
  return below.length > 0 && (amounts > 0 || !top.cells.some((_, at) => isTyped(at)));
}

/**
 * The row that names the columns: the first one, or one below a title.
 * @param answer the line; 0: none names them
 * @throws UnreadableSheet
 */
export function findHeading(records: readonly SheetRecord[], answer: number | undefined): SheetRecord {
  if (answer !== undefined) return answer === 0 ? noHeading(records) : headingAt(records, answer);
  const head = headOf(records);
  const [top = { line: 1, cells: [] }, ...below] = head;
  const named = head.map(columnsNamed);
  const most = Math.max(0, ...named);
  const best = head[named.indexOf(most)] ?? top;
  const isTitle = filledIn(top) < 3 && filledIn(top) * 2 <= Math.max(...head.map(filledIn));
  const isHeading = most < 2 ? !isTitle : best === top;
  if (isHeading && !mayBeRow(top, below)) return top;
  if (isTitle && best.cells.filter(isKnown).length > 1) return best;
  const lines = head.slice(0, 8).map((record) => ({ answer: String(record.line), shown: shownRecord(record) }));
  const readings = [{ answer: '0', shown: 'none: each line is a row' }, ...lines];
  const text = 'Which line names the columns?';
  throw new UnreadableSheet([{ option: 'header', rule: 'which_header', values: {}, text, readings }]);
}

function headingAt(records: readonly SheetRecord[], line: number): SheetRecord {
  const heading = records.find((record) => record.line >= line);
  if (heading !== undefined) return heading;
  const text = `The file has no line ${line}.`;
  throw new UnreadableSheet([{ option: 'header', rule: 'no_such_line', values: { line }, text, readings: [] }]);
}
