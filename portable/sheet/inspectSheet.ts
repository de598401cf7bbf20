/** Finds out what the file of anybody says, by looking at all of it. Browsers and operators share it. */
import { type FieldProblem, fields } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { Categories, type SheetCategory } from './categories.ts';
import {
  amountWith,
  customPrefix,
  type DecimalMark,
  isAmount,
  isBlank,
  isShortestNumber,
  oddityOf,
  readCell,
  readPlainCell,
  trimmed,
  UnreadableCell,
} from './cells.ts';
import { isExport, meaningOf, namesOf, readColumns, type SheetColumn, suggestionFor } from './columns.ts';
import { type Cell, decode, fitOf, recordsIn, type SheetQuestion, type SheetRecord } from './records.ts';

/** What the user says of a file, as far as it cannot be known, or is to be other than it was found. */
export interface SheetAnswers {
  /** Such as `windows-1252`. */
  readonly encoding?: string | undefined;
  /** The name of a workbook's sheet. */
  readonly sheet?: string | undefined;
  /** A character. */
  readonly separator?: string | undefined;
  /** The line that names the columns. */
  readonly header?: number | undefined;
  /** What columns are: `Regular price=value,Barcode=pn,*=ignore`, or `*=metadata` to keep the others as custom fields. */
  readonly columns?: string | undefined;
  readonly decimal?: DecimalMark | undefined;
}

/** A sheet of a workbook, as `read-excel-file` has it. */
export interface WorkbookSheet {
  readonly sheet: string;
  readonly data: readonly (readonly (string | number | boolean | object | null)[])[];
}

/** Why a file that begins like a workbook is none. */
export const notWorkbook = 'cannot be read as .xlsx: save it in Excel as .xlsx or "CSV UTF-8"';

export interface InspectedRow {
  /** The line of the file on which it begins, counted from 1. */
  readonly line: number;
  /** As they are in the file, by the names of the columns. */
  readonly cells: Readonly<Record<string, string>>;
  /** The body of a create or update: all that can be read. */
  readonly body: JsonObject;
  readonly invalid: readonly FieldProblem[];
  /** What the columns `id` and `revision` say, which are not in the body. */
  readonly id?: number;
  readonly revision?: number;
}

export interface InspectedSheet {
  /** If there are any, there are no rows. */
  readonly questions: readonly SheetQuestion[];
  /** Sentences about what is read in spite of being odd. */
  readonly warnings: readonly string[];
  readonly columns: readonly SheetColumn[];
  /** Whether it is an export of this service, which is read cell by cell. */
  readonly isExport: boolean;
  /** Undefined for a workbook. */
  readonly encoding: string | undefined;
  /** That of the file, or for a workbook that of its rejects. */
  readonly separator: string;
  readonly header: number;
  readonly decimalMark: DecimalMark;
  /** Reads the rows, each time anew. */
  rows(): Generator<InspectedRow, void>;
}

/**
 * @param source the bytes of a text, or the sheets of a workbook
 * @param categories the account's, as `loadCatalog` has them. Without them, only their ids are read
 */
export function inspectSheet(
  source: Uint8Array | readonly WorkbookSheet[],
  answers: SheetAnswers = {},
  categories?: readonly SheetCategory[],
): InspectedSheet {
  const form = source instanceof Uint8Array ? formOf(source, answers) : workbookForm(source, answers);
  if ('option' in form) return { ...nothing, questions: [form] };
  const heading = findHeading(form, answers);
  if ('option' in heading) return { ...nothing, questions: [heading] };
  return readTable(form, heading, answers, categories);
}

const nothing: Omit<InspectedSheet, 'questions'> = {
  ...{ warnings: [], columns: [], isExport: false, encoding: undefined, separator: ',', header: 1, decimalMark: '.' },
  *rows() {},
};

interface Form extends Pick<InspectedSheet, 'encoding' | 'separator'> {
  /** Without those that are blank. */
  records(): Iterable<SheetRecord>;
  /** The beginning, where the heading is looked for. */
  readonly first: readonly SheetRecord[];
}

function formWith(rest: Pick<Form, 'encoding' | 'separator'>, all: () => Iterable<SheetRecord>): Form {
  function* records() {
    for (const record of all()) if (record.isBroken || !record.cells.every(isBlank)) yield record;
  }
  const first: SheetRecord[] = [];
  for (const record of records()) if (first.push(record) === 50) break;
  return { ...rest, records, first };
}

function formOf(bytes: Uint8Array, answers: SheetAnswers): Form | SheetQuestion {
  const decoded = decode(bytes, answers.encoding);
  if ('readings' in decoded) {
    const text = `The file is not ${answers.encoding ?? 'UTF-8'}. Say its encoding, or save it as "CSV UTF-8".`;
    return { option: 'encoding', text, readings: decoded.readings };
  }
  const { text, encoding } = decoded;
  const saidInFile = /^sep=(.)(?=[\r\n])/i.exec(text)?.[1];
  const withSeparator = (separator: string) =>
    formWith({ encoding, separator }, function* () {
      for (const record of recordsIn(text, separator)) if (saidInFile === undefined || record.line > 1) yield record;
    });
  const said = answers.separator ?? saidInFile;
  if (said !== undefined) return withSeparator(said);
  const [best, next] = [',', ';', '\t', '|']
    .map((separator) => ({ ...withSeparator(separator), fit: fitOf(separator, text) }))
    .filter(({ fit }) => fit > 0)
    .sort((one, other) => other.fit - one.fit || mostNamed(other) - mostNamed(one));
  if (best === undefined) return withSeparator(',');
  if (next === undefined || best.fit > next.fit || mostNamed(best) > mostNamed(next)) return best;
  const beginning = ({ first }: Form) => first.slice(0, 2).map(shown).join(' / ');
  const readings = [best, next].map((one) => ({ answer: one.separator, shown: beginning(one) }));
  return { option: 'separator', text: 'More than one sign may be the separator.', readings };
}

function workbookForm(sheets: readonly WorkbookSheet[], answers: SheetAnswers): Form | SheetQuestion {
  const forms = sheets.map(({ sheet, data }) => {
    const records = data.map((cells, index) => ({ line: index + 1, cells: cells.map(cellOf) }));
    return { sheet, ...formWith({ encoding: undefined, separator: ',' }, () => records) };
  });
  const filled = forms.filter(({ first }) => first.length > 0);
  const [form = forms[0], ...others] = filled.filter(({ sheet }) => sheet === (answers.sheet ?? sheet));
  if (form !== undefined && others.length === 0 && form.sheet === (answers.sheet ?? form.sheet)) return form;
  const readings = filled.map(({ sheet, first: [top] }) => ({
    answer: sheet,
    shown: `${sheet}: ${top && shown(top)}`,
  }));
  const text = answers.sheet === undefined ? 'Which sheet is to be read?' : `There is no sheet "${answers.sheet}".`;
  return { option: 'sheet', text, readings };
}

/** Excel shows 15 digits of a number and whole seconds of a day, and keeps a little more or less. */
function cellOf(cell: WorkbookSheet['data'][number][number]): Cell {
  if (typeof cell === 'number') return Number(cell.toPrecision(15));
  if (!(cell instanceof Date)) return String(cell ?? '');
  const date = new Date(Math.round(cell.getTime() / 1_000) * 1_000);
  const [day = '', time] = date.toISOString().split(/T|\.000Z/);
  return time === '00:00:00' ? day : `${day} ${time}`;
}

const shown = ({ cells }: SheetRecord): string => cells.join(' | ');

const isKnown = (cell: Cell): boolean => meaningOf(trimmed(String(cell))) !== undefined;

/** How many cells are or seem to be names of columns. */
const named = ({ cells }: SheetRecord): number =>
  cells.filter((cell) => isKnown(cell) || suggestionFor(String(cell)) !== undefined).length;

const mostNamed = ({ first }: Form): number => Math.max(0, ...first.map(named));

/** The row that names the columns: the first one, or one below a title. */
function findHeading(form: Form, { header }: SheetAnswers): SheetRecord | SheetQuestion {
  if (header !== undefined) {
    for (const record of form.records()) if (record.line >= header) return record;
    return { option: 'header', text: `The file has no line ${header}.`, readings: [] };
  }
  const { first } = form;
  const [top = { line: 1, cells: [] }] = first;
  const most = mostNamed(form);
  const best = first.find((record) => named(record) === most) ?? top;
  const filled = ({ cells }: SheetRecord) => cells.filter((cell) => !isBlank(cell)).length;
  const isTitle = filled(top) < 3 && filled(top) * 2 <= Math.max(...first.map(filled));
  if (most < 2 ? !isTitle : best === top) return top;
  if (isTitle && best.cells.filter(isKnown).length > 1) return best;
  const readings = first.slice(0, 8).map((record) => ({ answer: String(record.line), shown: shown(record) }));
  return { option: 'header', text: 'Which line names the columns?', readings };
}

const isOfItem = (target: string): boolean => target === 'id' || target === 'revision';
const isCustom = (target: string): boolean => target.startsWith(customPrefix);

const placesOf = (columns: readonly SheetColumn[]) => new Map(columns.map(({ target }, at) => [target, at]));

const cellAt = (cells: readonly Cell[], at: number | undefined): string =>
  at === undefined ? '' : String(cells[at] ?? '');

function readTable(
  form: Form,
  heading: SheetRecord,
  answers: SheetAnswers,
  known: readonly SheetCategory[] | undefined,
): InspectedSheet {
  const written = heading.cells.map(String);
  const isOwn = isExport(written);
  const names = namesOf(isOwn ? written : written.map(trimmed));
  const named = readColumns(names, answers.columns, () => true);
  let places = placesOf(named.columns);
  const categories = new Categories(known);
  const categoryIn = (cells: readonly Cell[]) =>
    [cellAt(cells, places.get('category')), cellAt(cells, places.get('category_name'))] as const;
  const evidence = new Evidence();
  let isEmpty = true;
  for (const { line, cells, hasStrayQuote } of form.records()) {
    if (line <= heading.line) continue;
    isEmpty = false;
    if (hasStrayQuote === true) evidence.remark(line, 'A cell goes on after its closing quote, so its quotes are kept');
    categories.note(line, ...categoryIn(cells));
    for (const [at, column] of named.columns.entries()) evidence.note(line, at, column, cells[at] ?? '');
  }
  const decimal = answers.decimal ?? (isOwn && form.separator === ',' ? '.' : evidence.decimal);
  const { columns, questions: unknown } = readColumns(names, answers.columns, (at) => evidence.filled.has(at));
  places = placesOf(columns);
  const questions = typeof decimal === 'string' ? unknown : [...unknown, decimal];
  const decimalMark = typeof decimal === 'string' ? decimal : '.';
  const sources = [...places].flatMap(([target = 'ignore', at]): [string, number][] => {
    if (target === 'category_name' && !places.has('category')) return [['category', at]];
    return target in fields || isCustom(target) || isOfItem(target) ? [[target, at]] : [];
  });
  const read = (field: string, at: number, cells: readonly Cell[]): Json | undefined => {
    const { [at]: cell = '' } = cells;
    const text = String(cell);
    if (isOfItem(field)) return /^\s*[1-9]\d*\s*$/.test(text) ? Number(text) : undefined;
    if (field === 'category') {
      if (text.trim() === 'null') return null;
      return categoryIn(cells).every(isBlank) ? undefined : categories.idOf(...categoryIn(cells));
    }
    if (isOwn) return readCell(field, text, decimalMark);
    return readPlainCell(field, cell, decimalMark, isCustom(field) && evidence.isNumber(at, decimalMark));
  };
  const isBelow = answers.header === undefined && heading.line > (form.first[0]?.line ?? 1);
  const none = isEmpty ? [`There are no rows below line ${heading.line}.`] : [];
  const below = `Line ${heading.line} is taken for the names of the columns. What is above it is not read.`;
  return {
    ...{ questions, isExport: isOwn, header: heading.line, decimalMark },
    columns: columns.map((column, at) => ({ ...column, examples: evidence.examples[at] ?? [] })),
    ...{ encoding: form.encoding, separator: form.separator },
    warnings: [...none, ...(isBelow ? [below] : []), ...(isOwn ? [] : evidence.warnings), ...categories.warnings],
    *rows() {
      if (questions.length > 0) return;
      for (const { line, cells, isBroken } of form.records()) {
        if (line <= heading.line) continue;
        const source = Object.fromEntries(columns.map(({ name }, at) => [name, cellAt(cells, at)]));
        const reason = isBroken
          ? 'has a quote that is not closed; the file was not read beyond it'
          : `has ${cells.length} cells instead of ${columns.length}`;
        if (isBroken || !cells.slice(columns.length).every(isBlank))
          yield { line, cells: source, body: {}, invalid: [{ field: 'row', reason }] };
        else yield { line, cells: source, ...readRow(sources, (field, at) => read(field, at, cells)) };
      }
    },
  };
}

/** So many cells of a column are shown as examples. */
const maxExamples = 3;

/** What all cells of a column, and all amounts, say together. */
class Evidence {
  /** The places of columns: those that have something, are not of numbers alone, or have a decimal point. */
  readonly filled = new Set<number>();
  /** The first cells of columns, by their places. */
  readonly examples: string[][] = [];
  readonly #texts = new Set<number>();
  readonly #pointed = new Set<number>();
  /** The first amount that only a decimal point, only a comma, or either makes a number. */
  readonly #amounts = new Map<DecimalMark | 'either', { readonly line: number; readonly cell: string }>();
  readonly #oddities = new Map<string, { readonly line: number; count: number }>();

  note(line: number, at: number, { name, target }: SheetColumn, cell: Cell): void {
    if (isBlank(cell)) return;
    this.filled.add(at);
    const examples = (this.examples[at] ??= []);
    if (examples.length < maxExamples) examples.push(String(cell).slice(0, 60));
    if (target === undefined || target === 'ignore') return;
    if (isAmount(target) && typeof cell === 'string') this.#noteAmount(line, cell);
    if (!isShortestNumber(cell) && cell !== 'null') this.#texts.add(at);
    if (String(cell).includes('.')) this.#pointed.add(at);
    const oddity = oddityOf(target, cell);
    if (oddity !== undefined) this.remark(line, `${name} ${oddity}`);
  }

  remark(line: number, text: string): void {
    const { line: first, count } = this.#oddities.get(text) ?? { line, count: 0 };
    this.#oddities.set(text, { line: first, count: count + 1 });
  }

  #noteAmount(line: number, cell: string): void {
    const [point, comma] = [amountWith('.', cell), amountWith(',', cell)];
    const kind = comma === undefined ? '.' : point === undefined ? ',' : 'either';
    if (point !== comma && !this.#amounts.has(kind)) this.#amounts.set(kind, { line, cell });
  }

  isNumber = (at: number, decimalMark: DecimalMark): boolean =>
    !this.#texts.has(at) && !(decimalMark === ',' && this.#pointed.has(at));

  get warnings(): string[] {
    const more = (count: number) => (count > 1 ? ` and ${count - 1} more` : '');
    return [...this.#oddities].map(([text, { line, count }]) => `${text} (line ${line}${more(count)}).`);
  }

  /** How decimals are written, or the question if that cannot be known. */
  get decimal(): DecimalMark | SheetQuestion {
    const [isPoint, isComma, isEither] = (['.', ',', 'either'] as const).map((kind) => this.#amounts.has(kind));
    if (isPoint !== isComma) return isPoint ? '.' : ',';
    if (!isPoint && !isEither) return '.';
    const readings = (['.', ','] as const).map((answer) => ({
      answer,
      shown: [...this.#amounts.values()]
        .map(({ line, cell }) => `${cell} (line ${line}) is ${amountWith(answer, cell) ?? 'no number'}`)
        .join(', '),
    }));
    return { option: 'decimal', text: 'The decimal mark of the numbers cannot be known.', readings };
  }
}

/** @param read gives the value of a field, from the column that has it */
function readRow(
  sources: Iterable<readonly [field: string, at: number]>,
  read: (field: string, at: number) => Json | undefined,
): Pick<InspectedRow, 'body' | 'invalid' | 'id' | 'revision'> {
  const values: [string, Json][] = [];
  const custom: [string, Json][] = [];
  const invalid: FieldProblem[] = [];
  for (const [field, at] of sources) {
    try {
      const value = read(field, at);
      if (value === undefined) continue;
      if (isCustom(field)) custom.push([field.slice(customPrefix.length), value]);
      else if (field === 'metadata') custom.unshift(...Object.entries(value ?? {}));
      else values.push([field, value]);
    } catch (error) {
      if (!(error instanceof UnreadableCell)) throw error;
      invalid.push({ field, reason: error.message });
    }
  }
  const { id, revision, ...body } = Object.fromEntries(values);
  // fromEntries also keeps a key named __proto__, which is then refused.
  const metadata = custom.length === 0 ? {} : { metadata: Object.fromEntries(custom) };
  const of = { ...(typeof id === 'number' && { id }), ...(typeof revision === 'number' && { revision }) };
  return { ...of, body: { ...body, ...metadata }, invalid };
}
