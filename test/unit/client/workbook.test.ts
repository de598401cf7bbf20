import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { inspectSheet } from '../../../client/sheet/inspectSheet.ts';
import { readWorkbook } from '../../../client/sheet/workbook.ts';

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Styles by number: 0 is plain, 1 a percentage, 2 to 6 are dates and times, 7 and 8 look like these and are none. */
const formats = [
  'General',
  '0.0%',
  'yyyy\\-mm\\-dd',
  '[$-409]d-mmm-yy;@',
  'hh:mm:ss.000',
  '[h]:mm',
  'dd/mm/yyyy "at" hh',
  '0.00 "days"',
  '[Red][>100]#,##0\\ \\d',
];
const styles = `<styleSheet ${main}>
<numFmts>${formats.map((code, index) => `<numFmt numFmtId="${170 + index}" formatCode='${code.replaceAll('>', '&gt;')}'/>`).join('')}</numFmts>
<cellStyleXfs><xf numFmtId="14"/></cellStyleXfs>
<cellXfs>${formats.map((_, index) => `<xf numFmtId="${170 + index}"/>`).join('')}<xf numFmtId="14"/></cellXfs></styleSheet>`;

const strings = `<?xml version="1.0"?><!-- <si> --><x:sst xmlns:x="urn:x"><x:si><x:t>a &amp; &#x62;_x000D_</x:t></x:si>
<x:si><x:r><x:rPr/><x:t>東</x:t></x:r><x:r><x:t xml:space='preserve'> 京</x:t></x:r><x:rPh sb="0"><x:t>とうきょう</x:t></x:rPh></x:si>
<x:si><x:t><![CDATA[<c>]]></x:t></x:si><x:si><x:t> </x:t></x:si></x:sst>`;

const cellXml = (cell: string | number, ref: string): string => {
  if (typeof cell === 'number') return `<c r="${ref}"><v>${cell}</v></c>`;
  if (cell.startsWith('<c')) return cell.replace('<c', `<c r="${ref}"`);
  return cell === '' ? '' : `<c r="${ref}" t="inlineStr"><is><t>${cell}</t></is></c>`;
};

/** @param rows cells, or the XML of cells without their addresses @param attributes of rows, by their lines */
function sheetXml(rows: (string | number)[][], attributes: Record<number, string> = {}, more = ''): string {
  const lines = rows.map((cells, y) => {
    const inner = cells.map((cell, x) => cellXml(cell, `${String.fromCharCode(65 + x)}${y + 1}`)).join('');
    return `<row r="${y + 1}" ${attributes[y + 1] ?? ''}>${inner}</row>`;
  });
  return `<worksheet ${main}><sheetData>${lines.join('')}</sheetData>${more}</worksheet>`;
}

/** @param sheets the XML of worksheets by their names; undefined: a sheet of a chart */
function packed(sheets: Record<string, string | undefined>, level: 0 | 1 | 9 = 1): Uint8Array<ArrayBuffer> {
  const parts: Record<string, string> = { 'xl/styles.xml': styles, 'xl/strings.xml': strings };
  const [list, relations]: [string[], string[]] = [[], []];
  for (const [index, [name, xml]] of Object.entries(sheets).entries()) {
    const path = xml === undefined ? `chartsheets/sheet${index}.xml` : `worksheets/sheet${index}.xml`;
    parts[`xl/${path}`] = xml ?? `<chartsheet ${main}/>`;
    list.push(`<sheet name="${name}" sheetId="${index + 1}" r:id="r${index}"/>`);
    const kind = xml === undefined ? 'chartsheet' : 'worksheet';
    relations.push(`<Relationship Id="r${index}" Type="${office}/${kind}" Target="${path}"/>`);
  }
  relations.push(`<Relationship Id="rS" Type="${office}/styles" Target="styles.xml"/>`);
  relations.push(`<Relationship Id="rT" Type="${office}/sharedStrings" Target="/xl/strings.xml"/>`);
  parts['xl/workbook.xml'] = `<workbook ${main} xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`;
  parts['xl/_rels/workbook.xml.rels'] = `<Relationships>${relations.join('')}</Relationships>`;
  const bytes = Object.entries(parts).map(([path, xml]) => [path, strToU8(xml)] as const);
  return new Uint8Array(zipSync(Object.fromEntries(bytes), { level }));
}

const chairs = [{ id: 2, name: 'Chairs', archived: false }];

const inspect = (...rows: Parameters<typeof sheetXml>) =>
  inspectSheet(readWorkbook(packed({ Items: sheetXml(...rows) })));

it('a cell with an error, or with a formula that was never calculated, is refused and not blank', () => {
  const cells = [
    '<c t="e"><f>VLOOKUP(A2,x,2,0)</f><v>#N/A</v></c>',
    '<c><f>B2*2</f></c>',
    '<c><f>B2*2</f><v></v></c>',
    '<c s="0"><f t="shared" si="0"/><v/></c>',
    '<c t="str"><f>IF(1,"","x")</f><v></v></c>',
    '<c><f>B2*2</f><v>5</v></c>',
  ];
  const { rows } = inspect([['name', 'value'], ...cells.map((cell, index) => [`Item ${index}`, cell])]);
  expect([...rows()].map(({ body, invalid }) => [body['value'], ...invalid.map(({ rule }) => rule)])).toEqual([
    [undefined, 'error_cell'],
    [undefined, 'formula'],
    [undefined, 'formula'],
    [undefined, 'formula'],
    [undefined],
    [5],
  ]);
});

it('dates, numbers, logical values and texts are read as people see them', () => {
  const cell = (type: string, value: string | number) => `<c t="${type}"><v>${value}</v></c>`;
  const shown = (style: number, value: number) => `<c s="${style}"><v>${value}</v></c>`;
  const rows = [
    [
      shown(2, 45981),
      shown(3, 45981.354166655),
      shown(4, 0.354166667),
      shown(5, 0.25),
      shown(6, 45981),
      shown(9, 45981),
    ],
    [shown(7, 45981), shown(8, 5), shown(2, 1e9), 0.1 + 0.2, '1E-3', '<c><v>1E-3</v></c>', shown(5, 1.5)],
    [cell('b', 1), cell('b', 0), cell('d', '2025-11-20T08:30:00.5Z'), cell('d', '2025-11-20'), cell('str', '_x0041_')],
    [cell('s', 0), cell('s', 1), cell('s', 2), '<c t="inlineStr"><is><r><t>A</t></r><r><t> "&lt;"</t></r></is></c>'],
  ];
  const [sheet] = readWorkbook(packed({ 'A &amp; B': sheetXml(rows) }));
  expect(sheet?.sheet).toBe('A & B');
  expect(sheet?.records).toEqual([
    {
      line: 1,
      cells: ['2025-11-20', '2025-11-20 08:30:00', '08:30:00', '06:00:00', '2025-11-20', '2025-11-20'],
    },
    { line: 2, cells: [45981, 5, 1e9, 0.3, '1E-3', 0.001, '36:00:00'] },
    { line: 3, cells: ['true', 'false', '2025-11-20 08:30:00', '2025-11-20', 'A'] },
    { line: 4, cells: ['a & b\r', '東 京', '<c>', 'A "<"'] },
  ]);
});

it('dates before March 1900 are those that Excel shows, which counts a 29 February 1900', () => {
  const days = [1, 59, 61].map((day) => `<c s="2"><v>${day}</v></c>`);
  const [sheet] = readWorkbook(packed({ Items: sheetXml([days]) }));
  expect(sheet?.records).toEqual([{ line: 1, cells: ['1900-01-01', '1900-02-28', '1900-03-01'] }]);
});

it('blank cells and lines reach nowhere, and a cell far away keeps its place', () => {
  const blank = '<row r="3"><c r="XFD3" t="s"><v>3</v></c></row><row r="1048576"><c r="B1048576"><v>5</v></c></row>';
  const xml = `<worksheet ${main}><sheetData>${blank}</sheetData></worksheet>`;
  expect(readWorkbook(packed({ Items: xml }))[0]?.records).toEqual([{ line: 1_048_576, cells: ['', 5] }]);
});

it.each(['<c r="A1000000000"><v>1</v></c>', '<c r="A1048577"><v>1</v></c>', '<c r="XFE1"><v>1</v></c>', '<c r="1A"/>'])(
  'a cell that no workbook has is refused: %s',
  (cell) => {
    const xml = `<worksheet ${main}><sheetData><row>${cell}</row></sheetData></worksheet>`;
    expect(() => readWorkbook(packed({ Items: xml }))).toThrow('cannot be read as .xlsx');
  },
);

it.each([
  ['rows', Array.from({ length: 306 }, (_, y) => `<row><c r="XFD${y + 1}"><v>1</v></c></row>`).join(''), ''],
  [
    'merged cells',
    '<row><c r="A1"><v>1</v></c></row><row><c r="A1048576"><v>1</v></c></row>',
    '<mergeCell ref="A1:B1048576"/>'.repeat(5),
  ],
])('a sheet is refused whose %s reach over too many cells', (_what, rows, merged) => {
  const xml = `<worksheet ${main}><sheetData>${rows}</sheetData><mergeCells>${merged}</mergeCells></worksheet>`;
  expect(() => readWorkbook(packed({ Items: xml }))).toThrow('"Items" reaches over more than 5,000,000 cells');
});

const book = sheetXml(
  [
    ['category', '<c/>', 'name', 'tax'],
    ['Chairs', '<c/>', 'A', '<c s="1"><v>0.19</v></c>'],
    ['<c/>', '<c/>', 'B', '<c s="1"><v>0.07</v></c>'],
    ['<c/>', '<c/>', 'C', 1],
  ],
  { 3: 'hidden="1"' },
  '<mergeCells><mergeCell ref="A2:B3"/><mergeCell ref="A1:B1"/></mergeCells>',
);

/** As Power BI writes it. */
const withoutAddresses = book.replaceAll(/ r="[A-D]?\d"/g, '');

it.each([book, withoutAddresses])('what people see in a workbook, and cells do not say, is told', (xml) => {
  const { warnings, rows } = inspectSheet(readWorkbook(packed({ Items: xml })), {}, chairs);
  expect(warnings.map(({ text }) => text)).toEqual([
    'Rows are hidden in the workbook, and are read (line 3).',
    'Cells are merged over rows, and are read in each of them (line 2).',
    'tax is shown in percent in the workbook: 19 % is read as 0.19 (line 2 and 1 more).',
  ]);
  expect([...rows()].map(({ body }) => body)).toEqual([
    { category: 2, name: 'A', tax: 0.19 },
    { category: 2, name: 'B', tax: 0.07 },
    { name: 'C', tax: 1 },
  ]);
});

it.each([0, 9] as const)('sheets of charts are left out, at level %d of compression', (level) => {
  const book = packed({ Chart: undefined, Items: sheetXml([['name'], ['A']]) }, level);
  expect(readWorkbook(book)).toMatchObject([{ sheet: 'Items', records: [{ cells: ['name'] }, { cells: ['A'] }] }]);
});

it('a small file that is large when unpacked is refused, and cut off where its directory says otherwise', () => {
  const bomb = packed({ Items: sheetXml([['name'], ['A'.repeat(60 * 1024 * 1024)]]) });
  expect(bomb.length).toBeLessThan(1024 * 1024);
  expect(() => readWorkbook(bomb)).toThrow('more than 50 MB');
  const view = new DataView(bomb.buffer);
  for (let at = 0; at < bomb.length - 28; at += 1)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 100, true);
  expect(() => readWorkbook(bomb)).toThrow('cannot be read as .xlsx');
});

const broken = [[new Uint8Array([80, 75, 3, 4])], [packed({ Items: sheetXml([['name']]) }).slice(0, -30)]];
it.each(broken)('a file that is no workbook, or a part of one, is refused with what to do (%#)', (bytes) => {
  expect(() => readWorkbook(bytes)).toThrow('save it in Excel as .xlsx or "CSV UTF-8"');
});
