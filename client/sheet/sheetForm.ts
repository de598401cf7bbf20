/** Which records a file has, of a text or of a sheet of a workbook, and which of them names the columns. */
import { targetOf } from './columns.ts';
import { suggestionFor } from './columnWords.ts';
import { linesWarning, type SheetAnswers, type SheetWarning, UnreadableFile, UnreadableSheet } from './notices.ts';
import { amountReadings, isSurelyCurrency } from './readAmount.ts';
import { type Cell, decode, recordsIn, type SheetRecord } from './records.ts';
import { isBlank, trimmed } from './thirdPartyCells.ts';

/** A sheet of a workbook. */
export interface WorkbookSheet {
  readonly sheet: string;
  /** The rows that are not blank, each up to its last cell. */
  readonly records: readonly SheetRecord[];
  /** The lines of rows that a filter, or somebody, has hidden. */
  readonly hidden?: readonly number[];
  /** The first lines of cells that were merged over rows. */
  readonly merged?: readonly number[];
  /** Cells that are shown in percent, by line and column, as in `7:2`. */
  readonly percents?: ReadonlySet<string>;
}

export interface SheetForm {
  /** Undefined for a workbook, as is the separator. */
  readonly encoding: string | undefined;
  readonly separator: string | undefined;
  /** Without those that are blank. */
  readonly records: readonly SheetRecord[];
  readonly percents?: WorkbookSheet['percents'];
  readonly warnings: readonly SheetWarning[];
}

const isFilled = ({ cells, isBroken }: SheetRecord): boolean => isBroken === true || !cells.every(isBlank);

/** Beginnings of texts that are no sheets, such as the web pages that many programs export as `.xls`. */
const otherTexts = { 'a web page or XML': /^\s*<[!?a-z]/i, PDF: /^%PDF-/, JSON: /^\s*[[{]\s*["{]/ };

function refuseOther(bytes: Uint8Array): void {
  const beginning = new TextDecoder().decode(bytes.subarray(0, 100));
  for (const [kind, begins] of Object.entries(otherTexts))
    if (begins.test(beginning))
      throw new UnreadableFile(`The file is ${kind}: open it in Excel and save it as .xlsx or "CSV UTF-8".`);
}

/** @throws UnreadableFile; UnreadableSheet */
export function textForm(bytes: Uint8Array, answers: SheetAnswers): SheetForm {
  refuseOther(bytes);
  const { text, encoding } = decode(bytes, answers.encoding);
  const saidInFile = /^sep=(.)(?=[\r\n])/i.exec(text)?.[1];
  const separator = answers.separator ?? saidInFile ?? bestSeparator(text);
  const filled = [...recordsIn(text, separator)].filter(isFilled);
  const records = saidInFile === undefined ? filled : filled.slice(1);
  return withoutQuotes(records) ?? { encoding, separator, records, warnings: [] };
}

/** A file in which each line is in quotes as a whole is read as the text within them; undefined: it is none. */
function withoutQuotes(records: readonly SheetRecord[]): SheetForm | undefined {
  const lines = records.map(({ cells }) => String(cells[0]));
  const isOneColumn = records.length > 1 && records.every(({ cells }) => cells.length === 1);
  const inner = isOneColumn ? recordsIn(lines[0] ?? '', ',').next().value : undefined;
  if (inner === undefined || inner.cells.length < 2) return undefined;
  const text = 'Each line is in quotes as a whole. What is within them is read.';
  const warnings: SheetWarning[] = [{ rule: 'quoted_lines', values: {}, text }];
  return { ...textForm(new TextEncoder().encode(lines.join('\n')), {}), warnings };
}

/** The separator that fits best; a comma if there is none. @throws UnreadableSheet */
function bestSeparator(text: string): string {
  const [best, next] = [',', ';', '\t', '|']
    .map((separator) => fitOf(separator, text))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit || other.named - one.named);
  if (best === undefined) return ',';
  if (next === undefined || best.fit > next.fit || best.named > next.named) return best.separator;
  const readings = [best, next].map(({ separator, shown }) => ({ answer: separator, shown }));
  const question = 'More than one sign may be the separator.';
  throw new UnreadableSheet([{ option: 'separator', rule: 'separator', values: {}, text: question, readings }]);
}

/** The beginning of a file is enough to find its separator. */
const rowsToFit = 1_000;

/** How well a separator divides a text into rows of one width, from 0 to 1, and how many columns it names. */
function fitOf(separator: string, text: string) {
  const beginning: SheetRecord[] = [];
  for (const record of recordsIn(text, separator)) if (isFilled(record) && beginning.push(record) === rowsToFit) break;
  const widths = new Map<number, number>();
  for (const { cells } of beginning)
    if (cells.length > 1) widths.set(cells.length, (widths.get(cells.length) ?? 0) + 1);
  return {
    separator,
    fit: Math.max(0, ...widths.values()) / Math.max(1, beginning.length),
    named: Math.max(0, ...headOf(beginning).map(columnsNamed)),
    shown: beginning.slice(0, 2).map(shownRecord).join(' / '),
  };
}

/** @throws UnreadableSheet */
export function workbookForm(sheets: readonly WorkbookSheet[], { sheet: asked }: SheetAnswers): SheetForm {
  const filled = sheets.filter(({ records }) => records.some(isFilled));
  const sheet = asked === undefined ? (filled[0] ?? sheets[0]) : sheets.find((each) => each.sheet === asked);
  if (sheet === undefined || (asked === undefined && filled.length > 1)) throw whichSheet(filled, asked);
  const { hidden = [], merged = [], percents } = sheet;
  const warnings = [
    ...linesWarning('hidden_rows', 'Rows are hidden in the workbook, and are read', hidden),
    ...linesWarning('merged_cells', 'Cells are merged over rows, and are read in each of them', merged),
  ];
  return { encoding: undefined, separator: undefined, records: sheet.records.filter(isFilled), percents, warnings };
}

function whichSheet(filled: readonly WorkbookSheet[], asked: string | undefined): UnreadableSheet {
  const readings = filled.map(({ sheet, records }) => {
    const top = records.filter(isFilled).slice(0, 1);
    return { answer: sheet, shown: `${sheet}: ${top.map(shownRecord).join('')}` };
  });
  const question = { option: 'sheet', readings } as const;
  return asked === undefined
    ? new UnreadableSheet([{ ...question, rule: 'which_sheet', values: {}, text: 'Which sheet is to be read?' }])
    : new UnreadableSheet([
        { ...question, rule: 'no_such_sheet', values: { sheet: asked }, text: `There is no sheet "${asked}".` },
      ]);
}

const isKnown = (cell: Cell): boolean => targetOf(trimmed(String(cell))) !== undefined;

/** How many cells are or seem to be names of columns. */
const columnsNamed = ({ cells }: SheetRecord): number =>
  cells.filter((cell) => isKnown(cell) || suggestionFor(String(cell)) !== undefined).length;

const filledIn = ({ cells }: SheetRecord): number => cells.filter((cell) => !isBlank(cell)).length;

/** `Size 38` is a name. */
const hasAmount = (cell: Cell): boolean => {
  const { '.': point, ',': comma, currency } = amountReadings(String(cell));
  return (point ?? comma) !== undefined && (currency === '' || isSurelyCurrency(currency));
};

/** The beginning of a file, where the heading is looked for. */
const headOf = (records: readonly SheetRecord[]): readonly SheetRecord[] => records.slice(0, 50);

const shownRecord = ({ cells }: SheetRecord): string => cells.join(' | ');

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
