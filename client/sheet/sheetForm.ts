/** Which records a file has: of a text, or of a sheet of a workbook. */
import { columnsNamed, headOf, shownRecord } from './heading.ts';
import { linesWarning, type SheetAnswers, type SheetWarning, UnreadableFile, UnreadableSheet } from './notices.ts';
import { decode, recordsIn, type SheetRecord } from './records.ts';
import { isBlank } from './thirdPartyCells.ts';

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
