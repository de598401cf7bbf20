/**
 * Reads sheets of which each is twice as large as the one before, and fails if one takes much more than twice as long, or
 * more memory than its process has: some have taken hours.
 */

import assert from 'node:assert/strict';
import { strToU8, zipSync } from 'fflate';
import { print } from '../../cli/print.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { targets } from '../../client/sheet/columns.ts';
import { inspectSheet } from '../../client/sheet/inspectSheet.ts';
import { UnreadableFile, UnreadableSheet } from '../../client/sheet/notices.ts';
import { readWorkbook } from '../../client/sheet/workbook.ts';

const times = (count: number, each: (index: number) => string): string =>
  Array.from({ length: count }, (_, i) => each(i)).join('');

/** Cells of a row of text, of so many signs. */
const cells = (cell: (count: number) => string) => (size: number) =>
  `name,sku,value,qty,active,metadata.a\n${Array(6).fill(cell(size)).join()}\n`;

const texts: Readonly<Record<string, (size: number) => string>> = {
  columns: (size) => `name${times(size / 8, (index) => `,c${index}`)}\n${times(size / 8, () => '1,')}\n`,
  'columns of prices': (size) =>
    `name${times(size / 8, (index) => `,price ${index}`)}\n${times(size / 8, () => '1,')}\n`,
  'a name of commas': (size) => `"${'a=,'.repeat(size / 4)}",b\n1,2\n`,
  'short rows': (size) => `name${',c'.repeat(size / 64)}\n${'a\n'.repeat(size / 64)}`,
  'blanks in a cell': cells((size) => `${' '.repeat(size)}5${' '.repeat(size)}x`),
  'dashes in a cell': cells((size) => `${'-'.repeat(size)}x`),
  'digits in a cell': cells((size) => `${'1'.repeat(size)}x`),
  'groups of digits in a cell': cells((size) => `"${'1,111'.repeat(size / 4)}x"`),
  'quotes in cells': cells((size) => '"a,"""'.repeat(size / 4)),
  'line breaks in a cell': cells((size) => `"${'\n'.repeat(size)}"`),
  'unknown categories': (size) => `name,category\n${times(size / 16, (index) => `a${index},x${index}\n`)}`,
  'categories that disagree': (size) =>
    `name,category,category_name\n${times(size / 16, (index) => `a${index},1,x${index}\n`)}`,
  separators: (size) => `${';,\t|'.repeat(size / 16)}\n${';,\t|'.repeat(size / 16)}\n`,
};

const letters = (place: number): string =>
  place < 0 ? '' : letters(Math.floor(place / 26) - 1) + String.fromCharCode(65 + (place % 26));
const rowsOf = (xml: string) => `<worksheet><sheetData>${xml}</sheetData></worksheet>`;
const filled = (size: number, width: number, cell: (ref: string, line: number) => string) =>
  rowsOf(times(size / 32, (y) => `<row>${times(width, (x) => cell(letters(x) + (y + 1), y))}</row>`));

/** The XML of a sheet, or of the other part that is named. */
const workbooks: Readonly<Record<string, (size: number) => string>> = {
  'cells of a workbook': (size) => filled(size, 4, (ref, line) => `<c r="${ref}"><v>${line}</v></c>`),
  'blank cells far to the right': (size) => rowsOf(times(size / 32, (y) => `<row><c r="XFD${y + 1}"/></row>`)),
  'cells further and further to the right': (size) =>
    rowsOf(times(size / 64, (y) => `<row><c r="${letters(y % 16_384)}${y + 1}"><v>1</v></c></row>`)),
  'cells without addresses': (size) => filled(size, 4, (_, line) => `<c><v>${line}</v></c>`),
  'formulas without values': (size) => filled(size, 4, () => '<c><f>A1</f></c>'),
  'formulas that are not closed': (size) => rowsOf('<c><f>'.repeat(size / 6)),
  'tags that are not closed': (size) => rowsOf('<c '.repeat(size / 3)),
  'quotes that are not closed': (size) => rowsOf(`<c r="${'=" '.repeat(size / 3)}`),
  'blanks in a tag': (size) => rowsOf(`<row${' '.repeat(size)}><c${' '.repeat(size)}></row>`),
  'equal signs in a tag': (size) => rowsOf(`<row ${'= '.repeat(size / 2)}/>`),
  'comments that are not closed': (size) => rowsOf('<!-- >'.repeat(size / 6)),
  'texts that are not closed': (size) => rowsOf('<![CDATA[ >'.repeat(size / 11)),
  'letters in a tag': (size) => rowsOf(`<row ${'a'.repeat(size)}/>`),
  'prefixes in a tag': (size) => rowsOf(`<row ${'a:'.repeat(size / 2)}/>`),
  'merged cells': (size) =>
    `${rowsOf(times(size / 64, (y) => `<row><c r="A${y + 1}"><v>1</v></c></row>`))}`.replace(
      '</worksheet>',
      `${times(size / 64, (y) => `<mergeCell ref="A${y + 1}:A${y + 2}"/>`)}</worksheet>`,
    ),
  'xl/styles.xml: brackets in a format': (size) =>
    `<styleSheet><numFmt formatCode="${'['.repeat(size)}"/></styleSheet>`,
  'xl/styles.xml: styles': (size) => `<styleSheet><cellXfs>${'<xf/>'.repeat(size / 5)}</cellXfs></styleSheet>`,
  'xl/strings.xml: entities': (size) => `<sst><si><t>${'&a'.repeat(size / 2)}</t></si></sst>`,
};

function workbook(kind: string, xml: string): Uint8Array<ArrayBuffer> {
  const relation = (id: string, target: string, type = id) =>
    `<Relationship Id="${id}" Type="x/${type}" Target="${target}"/>`;
  const relations =
    relation('a', 'sheet.xml', 'worksheet') +
    relation('styles', 'styles.xml') +
    relation('sharedStrings', 'strings.xml');
  const parts: Record<string, string> = {
    'xl/workbook.xml': '<workbook><sheet name="A" r:id="a"/></workbook>',
    'xl/_rels/workbook.xml.rels': `<Relationships>${relations}</Relationships>`,
    'xl/sheet.xml': '<worksheet/>',
    'xl/styles.xml': '<styleSheet/>',
    'xl/strings.xml': '<sst/>',
  };
  const [path = ''] = kind.includes('.xml:') ? kind.split(':') : ['xl/sheet.xml'];
  parts[path] = xml;
  return new Uint8Array(
    zipSync(Object.fromEntries(Object.entries(parts).map(([name, text]) => [name, strToU8(text)]))),
  );
}

const categories = [{ id: 1, name: 'General', archived: false }];

/** @returns how many rows it has, or why it has none */
function read(load: () => Parameters<typeof inspectSheet>[0]): string {
  try {
    const source = load();
    const columns = namesIn(source)
      .filter((name) => !targets.includes(name))
      .map((name) => `${name}=metadata`)
      .join();
    const sheet = inspectSheet(source, { header: 1, decimal: '.', separator: ',', columns }, categories);
    return `${[...sheet.rows()].length} rows`;
  } catch (error) {
    if (error instanceof UnreadableSheet) return error.questions[0]?.rule ?? '';
    assert(error instanceof UnreadableFile, error as Error);
    return error.message;
  }
}

/** The names of a sheet's columns, also if something is asked. */
function namesIn(source: Parameters<typeof inspectSheet>[0]): string[] {
  try {
    return inspectSheet(source, { header: 1 }, []).mapping.map(({ name }) => name);
  } catch (error) {
    assert(error instanceof UnreadableSheet, error as Error);
    return error.mapping.map(({ name }) => name);
  }
}

const sizes = [1, 2, 4, 8].map((factor) => factor * 32 * 1024);

function tryKind(kind: string, make: (size: number) => () => Parameters<typeof inspectSheet>[0]): boolean {
  let result = '';
  const seconds = sizes.map((size) => {
    const load = make(size);
    const before = process.cpuUsage();
    result = read(load);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1e6;
  });
  const [first = 0, , , last = 0] = seconds;
  const isLinear = last < first * 8 * 3 + 0.5;
  print(
    `${isLinear ? 'ok  ' : 'SLOW'} ${kind.padEnd(45)} ${seconds.map((each) => each.toFixed(2).padStart(6)).join('')} s  ${result.slice(0, 60)}`,
  );
  return isLinear;
}

const program = createProgram('npm run nightly -- grow-sheets', 'Reads sheets of 32 to 256 KB, of many kinds.').action(
  () => {
    const ofTexts = Object.entries(texts).map(([kind, make]) =>
      tryKind(kind, (size) => {
        const bytes = new TextEncoder().encode(make(size));
        return () => bytes;
      }),
    );
    const ofWorkbooks = Object.entries(workbooks).map(([kind, make]) =>
      tryKind(kind, (size) => {
        const bytes = workbook(kind, make(size));
        return () => readWorkbook(bytes);
      }),
    );
    process.exitCode = [...ofTexts, ...ofWorkbooks].every(Boolean) ? 0 : 1;
  },
);
await runCommand(program);
