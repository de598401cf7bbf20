import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { inspectSheet } from '../../../client/sheet/inspectSheet.ts';
import { readWorkbook } from '../../../client/sheet/workbook.ts';

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Style 1 is a percentage. */
const styles = `<styleSheet ${main}><numFmts><numFmt numFmtId="170" formatCode="0.0%"/></numFmts>
<cellXfs><xf numFmtId="0"/><xf numFmtId="170"/></cellXfs></styleSheet>`;

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
  const parts: Record<string, string> = { 'xl/styles.xml': styles };
  const [list, relations]: [string[], string[]] = [[], []];
  for (const [index, [name, xml]] of Object.entries(sheets).entries()) {
    const path = xml === undefined ? `chartsheets/sheet${index}.xml` : `worksheets/sheet${index}.xml`;
    parts[`xl/${path}`] = xml ?? `<chartsheet ${main}/>`;
    list.push(`<sheet name="${name}" sheetId="${index + 1}" r:id="r${index}"/>`);
    const kind = xml === undefined ? 'chartsheet' : 'worksheet';
    relations.push(`<Relationship Id="r${index}" Type="${office}/${kind}" Target="${path}"/>`);
  }
  relations.push(`<Relationship Id="rS" Type="${office}/styles" Target="styles.xml"/>`);
  parts['xl/workbook.xml'] = `<workbook ${main} xmlns:r="${office}"><sheets>${list.join('')}</sheets></workbook>`;
  parts['xl/_rels/workbook.xml.rels'] = `<Relationships>${relations.join('')}</Relationships>`;
  const bytes = Object.entries(parts).map(([path, xml]) => [path, strToU8(xml)] as const);
  return new Uint8Array(zipSync(Object.fromEntries(bytes), { level }));
}

const chairs = [{ id: 2, name: 'Chairs', archived: false }];

const inspect = async (...rows: Parameters<typeof sheetXml>) =>
  inspectSheet(await readWorkbook(packed({ Items: sheetXml(...rows) })));

it('a cell with an error, or with a formula that was never calculated, is refused and not blank', async () => {
  const cells = [
    '<c t="e"><f>VLOOKUP(A2,x,2,0)</f><v>#N/A</v></c>',
    '<c><f>B2*2</f></c>',
    '<c><f>B2*2</f><v></v></c>',
    '<c s="0"><f t="shared" si="0"/><v/></c>',
    '<c t="str"><f>IF(1,"","x")</f><v></v></c>',
    '<c><f>B2*2</f><v>5</v></c>',
  ];
  const { rows } = await inspect([['name', 'value'], ...cells.map((cell, index) => [`Item ${index}`, cell])]);
  expect([...rows()].map(({ body, invalid }) => [body['value'], ...invalid.map(({ rule }) => rule)])).toEqual([
    [undefined, 'error_cell'],
    [undefined, 'formula'],
    [undefined, 'formula'],
    [undefined, 'formula'],
    [undefined],
    [5],
  ]);
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

it.each([book, withoutAddresses])('what people see in a workbook, and cells do not say, is told', async (xml) => {
  const { warnings, rows } = inspectSheet(await readWorkbook(packed({ Items: xml })), {}, chairs);
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

it.each([0, 9] as const)('sheets of charts are left out, at level %d of compression', async (level) => {
  const book = packed({ Chart: undefined, Items: sheetXml([['name'], ['A']]) }, level);
  expect(await readWorkbook(book)).toMatchObject([{ sheet: 'Items', data: [['name'], ['A']] }]);
});

it('a small file that is large when it is unpacked is refused, and is cut off where its directory says otherwise', async () => {
  const bomb = packed({ Items: sheetXml([['name'], ['A'.repeat(60 * 1024 * 1024)]]) });
  expect(bomb.length).toBeLessThan(1024 * 1024);
  await expect(readWorkbook(bomb)).rejects.toThrow('more than 50 MB');
  const view = new DataView(bomb.buffer);
  for (let at = 0; at < bomb.length - 28; at += 1)
    if (view.getUint32(at, true) === 0x02014b50) view.setUint32(at + 24, 100, true);
  await expect(readWorkbook(bomb)).rejects.toThrow('cannot be read as .xlsx');
});

it.each([[new Uint8Array([80, 75, 3, 4])], [packed({ Items: sheetXml([['name']]) }).slice(0, -30)]])(
  'a file that is no workbook, or a part of one, is refused with what to do (%#)',
  async (bytes) => {
    await expect(readWorkbook(bytes)).rejects.toThrow('save it in Excel as .xlsx or "CSV UTF-8"');
  },
);
