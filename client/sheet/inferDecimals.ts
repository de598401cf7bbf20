import type { ColumnProfile, Mark } from './columnProfile.ts';
import type { ColumnMapping } from './columns.ts';
import { isAmount, isCustom } from './exportCells.ts';
import type { Occurrence, SheetQuestion } from './notices.ts';
import { amountReadings, type DecimalMark } from './readAmount.ts';
import { unprotected } from './thirdPartyCells.ts';

/**
 * Infers the decimal mark of a file from its amounts. In an export that a spreadsheet has saved, custom numbers decide if no
 * amount does.
 * @returns a question if it cannot be known
 */
export function inferDecimals(
  columns: readonly ColumnMapping[],
  profiles: readonly ColumnProfile[],
  isOwn: boolean,
): DecimalMark | SheetQuestion {
  const profilesWhere = (isIt: (target: string) => boolean) =>
    profiles.filter((_, at) => isIt(columns[at]?.target ?? ''));
  const amounts = profilesWhere(isAmount);
  const isOpen = isOwn && amounts.every(({ marks }) => marks.size === 0);
  return isOpen && profilesWhere(isCustom).some(({ marks }) => marks.has(',')) ? ',' : inferDecimalMark(amounts);
}

/** How decimals are written, by all amounts of a file, or the question if that cannot be known. */
function inferDecimalMark(columns: readonly ColumnProfile[]): DecimalMark | SheetQuestion {
  const first = new Map<Mark, Occurrence>();
  for (const [mark, occurrence] of columns.flatMap(({ marks }) => [...marks]))
    if (occurrence.line < (first.get(mark)?.line ?? Number.POSITIVE_INFINITY)) first.set(mark, occurrence);
  const [isPoint, isComma, isEither] = (['.', ',', 'either'] as const).map((mark) => first.has(mark));
  if (isPoint !== isComma) return isPoint ? '.' : ',';
  if (!isPoint && !isEither) return '.';
  const shown =
    (answer: DecimalMark) =>
    ({ line, cell }: Occurrence) =>
      `${cell} (line ${line}) is ${amountReadings(unprotected(cell, 'value'))[answer] ?? 'no number'}`;
  return {
    option: 'decimal',
    rule: 'decimal',
    values: { cells: [...first.values()].map(({ cell }) => cell) },
    text: 'The decimal mark of the numbers cannot be known.',
    readings: (['.', ','] as const).map((answer) => ({
      answer,
      shown: [...first.values()].map(shown(answer)).join(', '),
    })),
  };
}
