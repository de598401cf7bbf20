/** Which records a file has: of a text, or of a sheet of a workbook. */
import { columnsNamed } from './heading.ts';
import {
  occurrenceWarning,
  type SheetAnswers,
  type SheetQuestion,
  type SheetWarning,
  UnreadableFile,
  UnreadableSheet,
} from './notices.ts';
import { decode, fitOf, recordsIn, type SheetRecord } from './records.ts';
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
  /** Undefined for a workbook. */
  readonly encoding: string | undefined;
  readonly separator: string;
  /** Without those that are blank. */
  records(): Iterable<SheetRecord>;
  /** The beginning, where the heading is looked for. */
  readonly first: readonly SheetRecord[];
  readonly percents?: WorkbookSheet['percents'];
  readonly warnings: readonly SheetWarning[];
}

function formWith(rest: Omit<SheetForm, 'records' | 'first'>, all: () => Iterable<SheetRecord>): SheetForm {
  function* records() {
    for (const record of all()) if (record.isBroken || !record.cells.every(isBlank)) yield record;
  }
  const first: SheetRecord[] = [];
  for (const record of records()) if (first.push(record) === 50) break;
  return { ...rest, records, first };
}

/** What a text begins with that is no sheet, such as the web pages that many programs export as `.xls`. */
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
  const withSeparator = (separator: string) =>
    formWith({ encoding, separator, warnings: [] }, function* () {
      for (const record of recordsIn(text, separator)) if (saidInFile === undefined || record.line > 1) yield record;
    });
  const separator = answers.separator ?? saidInFile;
  return separator === undefined ? bestForm(text, withSeparator) : withSeparator(separator);
}

const mostNamed = ({ first }: SheetForm): number => Math.max(0, ...first.map(columnsNamed));

/** The form by the separator that fits best. @throws UnreadableSheet */
function bestForm(text: string, withSeparator: (separator: string) => SheetForm): SheetForm {
  const [best, next] = [',', ';', '\t', '|']
    .map((separator) => ({ ...withSeparator(separator), fit: fitOf(separator, text) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit || mostNamed(other) - mostNamed(one));
  if (best === undefined) return withoutQuotes(withSeparator(','));
  if (next === undefined || best.fit > next.fit || mostNamed(best) > mostNamed(next)) return best;
  const beginning = ({ first }: SheetForm) => first.slice(0, 2).map(shownRecord).join(' / ');
  const readings = [best, next].map((form) => ({ answer: form.separator, shown: beginning(form) }));
  const question = 'More than one sign may be the separator.';
  throw new UnreadableSheet([{ option: 'separator', rule: 'separator', values: {}, text: question, readings }]);
}

/** A file in which each line is in quotes as a whole is read as the text within them. */
function withoutQuotes(form: SheetForm): SheetForm {
  const lines = Array.from(form.records(), ({ cells }) => String(cells[0] ?? ''));
  const inner = lines.length > 1 && lines[0] !== undefined ? recordsIn(lines[0], ',').next().value : undefined;
  if (inner === undefined || inner.cells.length < 2) return form;
  const text = 'Each line is in quotes as a whole. What is within them is read.';
  const warnings: SheetWarning[] = [{ rule: 'quoted_lines', values: {}, text }];
  return { ...textForm(new TextEncoder().encode(lines.join('\n')), {}), warnings };
}

/** @throws UnreadableSheet */
export function workbookForm(sheets: readonly WorkbookSheet[], { sheet: asked }: SheetAnswers): SheetForm {
  const forms = sheets.map((sheet) => {
    const rest = { encoding: undefined, separator: ',', percents: sheet.percents, warnings: workbookWarnings(sheet) };
    return { sheet: sheet.sheet, ...formWith(rest, () => sheet.records) };
  });
  const filled = forms.filter(({ first }) => first.length > 0);
  const form = asked === undefined ? (filled[0] ?? forms[0]) : forms.find(({ sheet }) => sheet === asked);
  if (form !== undefined && (asked !== undefined || filled.length < 2)) return form;
  const readings = filled.map(({ sheet, first }) => ({
    answer: sheet,
    shown: `${sheet}: ${first.slice(0, 1).map(shownRecord).join('')}`,
  }));
  const question: SheetQuestion =
    asked === undefined
      ? { option: 'sheet', rule: 'which_sheet', values: {}, text: 'Which sheet is to be read?', readings }
      : {
          option: 'sheet',
          rule: 'no_such_sheet',
          values: { sheet: asked },
          text: `There is no sheet "${asked}".`,
          readings,
        };
  throw new UnreadableSheet([question]);
}

function workbookWarnings({ hidden = [], merged = [] }: WorkbookSheet): SheetWarning[] {
  const told = (rule: SheetWarning['rule'], [line, ...others]: readonly number[], sentence: string) =>
    line === undefined ? [] : [occurrenceWarning(rule, sentence, { line, count: others.length + 1 })];
  return [
    ...told('hidden_rows', hidden, 'Rows are hidden in the workbook, and are read'),
    ...told('merged_cells', merged, 'Cells are merged over rows, and are read in each of them'),
  ];
}

const shownRecord = ({ cells }: SheetRecord): string => cells.join(' | ');
