/** Statistics of a column's cells, by which its target and its decimals are inferred. */
import { roundHalfUp } from '../../lib/item/decimal.ts';
import { limits } from '../../lib/item/limits.ts';
import { decimalsOf, isAmount, isCustom, isLogical } from './exportCells.ts';
import type { ColumnMapping, Occurrence, SheetQuestion, SheetWarning } from './notices.ts';
import { occurrenceWarning } from './notices.ts';
import { type AmountReadings, amountReadings, type DecimalMark, isSurelyCurrency } from './readAmount.ts';
import { type Cell, isShortestNumber } from './records.ts';
import { cellWarningOf, cellWarnings, isBlank, unprotected } from './thirdPartyCells.ts';

/** So many characters of a cell tell it from others. */
const maxCompared = 60;

/** So many cells of a column are shown. */
const maxExamples = 3;

/** Counts what is seen, and keeps where it is seen first. */
class Occurrences<Kind> extends Map<Kind, Occurrence> {
  add(kind: Kind, line: number, cell: string): void {
    const { count, ...first } = this.get(kind) ?? { cell, line, count: 0 };
    this.set(kind, { ...first, count: count + 1 });
  }
}

type Mark = DecimalMark | 'either';

/** A column with what was seen of its cells. */
export interface Column extends ColumnMapping {
  readonly profile: ColumnProfile;
}

export class ColumnProfile {
  /** How many cells have something, and are amounts. */
  filled = 0;
  amounts = 0;
  /** Whether an amount is not 0. Programs write 0 where they have no price. */
  hasAmount = false;
  /** How many cells have several words, and how many can only be identifiers. */
  phrases = 0;
  identifiers = 0;
  /** Different cells of a column whose target is unknown. */
  readonly distinct = new Set<string>();
  /** The first amount that only a decimal point, only a comma, or either makes a number. */
  readonly marks = new Occurrences<Mark>();
  readonly cellWarnings = new Occurrences<keyof typeof cellWarnings>();
  /** The first of them, to be shown. */
  readonly examples: string[] = [];
  readonly #currencies = new Occurrences<string>();
  #centAmounts = 0;
  #isText = false;
  #isPointed = false;
  /** Whether a cell is neither yes nor no, as JSON or a spreadsheet writes them. */
  #isOther = false;
  readonly #target: string | undefined;

  /** @param target what the column means, as far as it is known before its cells are read */
  constructor(target: string | undefined) {
    this.#target = target;
  }

  /** @param isPercent whether the workbook shows a number in percent */
  note(line: number, cell: Cell, isPercent: boolean): void {
    if (isBlank(cell)) return;
    const text = String(cell);
    const target = this.#target;
    this.filled += 1;
    if (this.examples.length < maxExamples) this.examples.push(text.slice(0, 60));
    this.#noteAmount(line, cell, text);
    if (!isShortestNumber(cell) && text !== 'null') this.#isText = true;
    if (text.includes('.')) this.#isPointed = true;
    if (!/^(true|false|null)$/.test(text) && !isLogical(text)) this.#isOther = true;
    if (target === undefined) {
      this.#noteWords(text.slice(0, maxCompared));
      return;
    }
    if (isPercent && (isAmount(target) || isCustom(target))) this.cellWarnings.add('percent_cells', line, text);
    const warning = cellWarningOf(target, cell);
    if (warning !== undefined) this.cellWarnings.add(warning, line, text);
  }

  #noteAmount(line: number, cell: Cell, text: string): void {
    // Of a description no number is made.
    if (typeof cell === 'string' && text.length > 40) return;
    const { '.': point, ',': comma, currency } = readingsOf(cell);
    const amounts = [point, comma].filter((amount) => amount !== undefined);
    if (amounts.length === 0) return;
    this.amounts += 1;
    if (!amounts.includes(0)) this.hasAmount = true;
    if (amounts.every((amount) => isRounded(amount, decimalsOf(this.#target))))
      this.cellWarnings.add('rounded', line, text);
    if (currency !== '') this.#currencies.add(canonical(currency), line, currency);
    else if (typeof cell === 'number' ? /\.\d\d?$/.test(text) : /\d[.,]\d\d\s*$/.test(text)) this.#centAmounts += 1;
    if (point === comma) return;
    if (comma === undefined) this.marks.add('.', line, text);
    else this.marks.add(point === undefined ? ',' : 'either', line, text);
  }

  #noteWords(text: string): void {
    if (/\p{L}\p{M}*[ \u3000]\p{L}|\p{Lo}{3}|\p{L}{5}/u.test(text)) this.phrases += 1;
    if (isSurelyIdentifier(text)) this.identifiers += 1;
    this.distinct.add(text);
  }

  /** How many amounts are written as prices are, with two decimals or a currency. `A-1` is an identifier. */
  get prices(): number {
    const sure = [...this.#currencies].filter(([key]) => isSurelyCurrency(key));
    return sure.reduce((sum, [, { count }]) => sum + count, this.#centAmounts);
  }

  /** Whether all cells of a custom field are numbers in their shortest form, with a decimal point. */
  isNumber(decimalMark: DecimalMark): boolean {
    return !this.#isText && !(decimalMark === ',' && this.#isPointed);
  }

  /** Whether all cells of a custom field are logical values. */
  get isLogical(): boolean {
    return !this.#isOther;
  }

  /** The currency of nearly all amounts, which is the same for those that are written without one. */
  get currency(): ({ readonly key: string } & Occurrence) | undefined {
    const [most, ...others] = [...this.#currencies].sort(([, one], [, other]) => other.count - one.count);
    if (most === undefined) return undefined;
    const [key, occurrence] = most;
    const rest = others.reduce((sum, [, { count }]) => sum + count, 0);
    return occurrence.count > rest * 9 && occurrence.count * 2 > this.amounts ? { key, ...occurrence } : undefined;
  }

  /** An amount without the usual currency of its column. */
  withoutCurrency(cell: Cell): Cell {
    const { currency } = this;
    if (typeof cell === 'number' || currency === undefined) return cell;
    const text = unprotected(cell, 'value').trim();
    const written = amountReadings(text).currency;
    return canonical(written) === currency.key ? text.replace(written, '').trim() : cell;
  }

  /** Warnings about a column that is read. */
  warnings({ name, target = 'ignore' }: ColumnMapping, isOwnExport: boolean): SheetWarning[] {
    if (target === 'ignore') return [];
    const warning = (rule: SheetWarning['rule'], first: Occurrence, sentence: string) =>
      occurrenceWarning(rule, `${name} ${sentence}`, first, { column: name, cell: first.cell });
    const isMeant = (rule: SheetWarning['rule'], { count }: Occurrence): boolean => {
      // A custom field of nothing but dates has no sizes such as 10-12.
      if (rule === 'became_date') return isCustom(target) && count === this.filled;
      return rule === 'no_value' && isOwnExport;
    };
    const warnings = [...this.cellWarnings]
      .filter(([rule, first]) => !isMeant(rule, first))
      .map(([rule, first]) => warning(rule, first, cellWarnings[rule](first.cell, decimalsOf(target))));
    const currency = isAmount(target) && !isOwnExport ? this.currency : undefined;
    if (currency === undefined) return warnings;
    const beside = `"${currency.cell}", which is left out`;
    if (target === 'qty') return [...warnings, warning('unit_left_out', currency, `has the unit ${beside}`)];
    return [...warnings, warning('currency_left_out', currency, `has the currency ${beside}`)];
  }
}

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

/** The cell as a number, with each decimal mark. */
const readingsOf = (cell: Cell): AmountReadings =>
  typeof cell === 'number' ? { '.': cell, ',': cell, currency: '' } : amountReadings(unprotected(cell, 'value'));

/** Not mere numbers, which can be prices or weights, nor numbers with their unit: `K-001`, `00123`, or eight digits. */
const isSurelyIdentifier = (text: string): boolean =>
  text.length <= limits.identifier.max && /^\p{L}.*\d|^0\d+$|^\d{8,}$/u.test(text);

/** Whether a number loses decimals that were written. What a formula has left behind the 15th digit is none. */
const isRounded = (amount: number, decimals: number): boolean =>
  Number.isFinite(decimals) && amount > 0 && amount < 1e9 && roundHalfUp(amount, decimals, 1e9) !== amount;

/** Case and a point behind it do not make another currency. */
const canonical = (currency: string): string => currency.replace(/\.$/, '').toLowerCase();
