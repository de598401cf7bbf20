import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvLine, rejectHead, rejectLine } from '../../../client/sheet/csvLine.ts';
import { csvLineOf, writeCell } from '../../../client/sheet/exportCells.ts';
import { inspectSheet } from '../../../client/sheet/inspectSheet.ts';
import { type SheetAnswers, UnreadableSheet } from '../../../client/sheet/notices.ts';
import type { Cell } from '../../../client/sheet/records.ts';
import type { WorkbookSheet } from '../../../client/sheet/sheetForm.ts';
import { customName } from '../../../lib/item/customName.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { acceptedBody, anyText } from '../../support/items/arbitraries.ts';

const category = (id: number, name: string, archived = false) => ({ id, name, archived });
const categories = [
  category(1, 'General'),
  category(2, 'Chairs'),
  category(3, 'Old', true),
  category(4, 'Twice'),
  category(5, 'twice '),
];

/** The rows of a workbook. */
type Rows = readonly (readonly Cell[])[];
const sheetOf = (sheet: string, rows: Rows): WorkbookSheet => ({
  sheet,
  records: rows.map((cells, index) => ({ line: index + 1, cells })),
});

const inspect = (source: string | Uint8Array | Rows, answers?: SheetAnswers) =>
  inspectSheet(
    typeof source === 'string'
      ? new TextEncoder().encode(source)
      : source instanceof Uint8Array
        ? source
        : [sheetOf('Sheet1', source)],
    answers,
    categories,
  );
const bodiesOf = (...args: Parameters<typeof inspect>) => [...inspect(...args).rows()].map(({ body }) => body);
/** What has to be answered first. */
function asked(read: () => unknown): UnreadableSheet {
  try {
    read();
  } catch (error) {
    if (error instanceof UnreadableSheet) return error;
    throw error;
  }
  throw new Error('Nothing is asked');
}
const reasonsOf = (...args: Parameters<typeof inspect>) =>
  [...inspect(...args).rows()].map(({ line, invalid }) => [
    line,
    ...invalid.map(({ field, reason }) => `${field} ${reason}`),
  ]);
const questionsOf = (...args: Parameters<typeof inspect>) =>
  asked(() => inspect(...args)).questions.map(({ option, text, readings }) => [
    option,
    text,
    Object.fromEntries(readings.map(({ answer, shown }) => [answer, shown])),
  ]);

/** As in an export, so that a file is known as one. */
const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];

describe('an export of ours', () => {
  it('says the same of any items, also in a file of rejects, whatever their texts and custom fields are', () => {
    fc.assert(
      fc.property(fc.array(acceptedBody, { minLength: 1, maxLength: 5 }), fc.nat(5), (items, columns) => {
        const keys = [...new Set(items.flatMap(({ metadata }) => Object.keys(metadata ?? {})))];
        const names = [
          ...new Set([...responseOnly, ...items.flatMap(Object.keys)]),
          ...keys.slice(0, columns).map(customName),
        ];
        const ids = items.map((item, index) => ({ ...item, id: index + 1 }));
        const text = csvLine(names) + ids.map((item) => csvLineOf(item, names)).join('');
        expect(bodiesOf(text).map(asCreated)).toEqual(items.map(asCreated));
        const sheet = inspect(text);
        const rejects = [...sheet.rows()].map((row) => rejectLine(sheet, { ...row, problems: [] }));
        expect(bodiesOf(rejectHead(sheet) + rejects.join('')).map(asCreated)).toEqual(items.map(asCreated));
      }),
    );
  });

  it('has no cell that a spreadsheet would run', () => {
    const starts = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];
    fc.assert(
      fc.property(fc.constantFrom(...starts), anyText, (start, text) => {
        for (const column of ['name', 'sku', 'metadata.color'])
          expect(writeCell(column, start + text)).toBe(`'${start}${text}`);
      }),
    );
  });

  it('keeps cells that other files lose, has a decimal point, and tells ids and revisions', () => {
    const head = `${responseOnly.join()},name,sku,value,metadata.a,metadata.b`;
    const [row] = [...inspect(`${head}\n7,,,3,,, a ,00123,1.000,"{""x"":1}",\u00a0b\n`).rows()];
    expect(row).toMatchObject({ id: 7, revision: 3, invalid: [] });
    expect(row?.body).toEqual({ name: ' a ', sku: '00123', value: 1, metadata: { a: { x: 1 }, b: '\u00a0b' } });
    const saved = `${responseOnly.join(';')};name;value\n;;;;;;a;1,5\n`;
    expect([...inspect(saved).rows()]).toMatchObject([{ body: { name: 'a', value: 1.5 } }]);
  });

  it.each([12.5, 12])('comes back equal from a spreadsheet with decimal commas, with the price %d', (value) => {
    const metadata = { weight: 0.5, size: '0,5', version: '1.10', count: 7, at: '2025-11-20' };
    const names = [...responseOnly, 'name', 'value', ...Object.keys(metadata).map(customName)];
    const line = csvLineOf({ id: 1, revision: 2, name: 'A', value, metadata }, names);
    const saved = line
      .replaceAll('","', '";"')
      .replaceAll(/"(-?\d+)\.(\d+)"/g, (cell, whole, rest) => (cell === '"1.10"' ? cell : `"${whole},${rest}"`));
    expect(saved).toContain('"0,5"');
    expect(bodiesOf(csvLine(names, ';') + saved)).toEqual([{ name: 'A', value, metadata }]);
  });

  it('has an id that cannot be read refused, and a blank one left out', () => {
    const [wrong, blank] = [...inspect('id,revision,name\nx,1,a\n,,b\n').rows()];
    expect(wrong?.invalid).toMatchObject([{ field: 'id', rule: 'id', values: { cell: 'x' } }]);
    expect(blank).toMatchObject({ body: { name: 'b' }, invalid: [] });
    expect(blank).not.toHaveProperty('id');
  });
});

type ReadFile = [what: string, file: string | Rows, bodies: readonly JsonObject[], answers?: SheetAnswers];

describe('a file of others', () => {
  it.each<ReadFile>([
    ['a byte order mark and semicolons', '\ufeffname;value\r\n"a;b";12\r\n', [{ name: 'a;b', value: 12 }]],
    ['tabs', 'name\tvalue\n\na\t1', [{ name: 'a', value: 1 }]],
    [
      'quotes and line breaks of every kind',
      'name,tag\r"a""\r\n,"\rb\n"c"d,5" e\r\n',
      [{ name: 'a" ,' }, { name: 'b' }, { name: '"c"d', tag: '5" e' }],
    ],
    ['a separator that is said', 'name|value\na,b|1\n', [{ name: 'a,b', value: 1 }], { separator: '|' }],
    ['the separator that it says', 'sep=;\nname,x;value\na;1\n', [{ name: 'a', value: 1 }], { columns: 'name,x=name' }],
    [
      'the separator that all rows have',
      'name;sku;metadata.size (w,h,d)\nBox;S1;1x2x3\n',
      [{ name: 'Box', sku: 'S1', metadata: { 'size (w,h,d)': '1x2x3' } }],
    ],
    [
      'the separator of its columns, where all rows have two',
      'name;price,net\na;1,5\n',
      [{ name: 'a', value: 1.5 }],
      { columns: 'price,net=value' },
    ],
    ['no separator', 'Name\na\n', [{ name: 'a' }]],
    [
      'a quote that nobody has closed',
      'name,sku\n"5" pipe,A\n"6 inch,B\n"7"" wide,C\n"8 inch"" x,D\n"last",E\n',
      [
        { name: '"5" pipe', sku: 'A' },
        { name: '"6 inch', sku: 'B' },
        { name: '"7"" wide', sku: 'C' },
        { name: '"8 inch"" x', sku: 'D' },
        { name: 'last', sku: 'E' },
      ],
    ],
    ['lines in quotes as a whole', '"name,sku"\n"""Oak, big"",X"\n', [{ name: 'Oak, big', sku: 'X' }]],
    [
      'a heading on each page, or of another file that was appended',
      'name,sku\nname,sku\n\ufeffName,SKU \nb,B\n',
      [{ name: 'b', sku: 'B' }],
    ],
    ['a line break or a tab in a name', 'name,tag\n"a \n b\tc\r\n","d\ne"\n', [{ name: 'a b c', tag: 'd\ne' }]],
    [
      'a name that a Mac has written',
      'Gro\u0308\u00dfe,name\n1,a\n',
      [{ name: 'a', metadata: { 'Gro\u0308\u00dfe': 1 } }],
      { columns: 'Gr\u00f6\u00dfe=metadata' },
    ],
    ['a heading below a title', 'Prices 2026,,\n,,\nname,sku,value\na,A,1\n', [{ name: 'a', sku: 'A', value: 1 }]],
    ['a heading that is said', 'Prices\n\nfor you\nname\na\n', [{ name: 'a' }], { header: 4 }],
    [
      'names in other case, with blanks and asterisks',
      ' Name *\u200b,SKU,Category Name,Metadata.Color\na,A,chairs,red\n',
      [{ name: 'a', sku: 'A', category: 2, metadata: { Color: 'red' } }],
    ],
    ['columns and rows of nothing', 'name,,Stock,,NAME\na,,\u200b\n,,,\nb,,,,,\n', [{ name: 'a' }, { name: 'b' }]],
    [
      'columns that are said',
      'Artikel;Preis (netto, EUR);EAN;Farbe;a=b\nx;5;123;rot;1\n',
      [{ name: 'x', value: 5, pn: '123', metadata: { Farbe: 'rot' } }],
      { columns: 'artikel=name, Preis (netto, EUR)=value,EAN=pn,a=b=ignore,*=metadata' },
    ],
    [
      'a custom field whose name has 64 characters of two units',
      `name,${'😀'.repeat(64)}\na,b\n`,
      [{ name: 'a', metadata: { ['😀'.repeat(64)]: 'b' } }],
      { columns: '*=metadata' },
    ],
    [
      'a column that is named twice',
      'name,name\na,b\n',
      [{ name: 'a', metadata: { 'name (2)': 'b' } }],
      { columns: '*=metadata' },
    ],
    [
      'marks',
      "name,category,sku,description,tag\n'=a,null,null,','null\n",
      [{ name: '=a', category: null, sku: null, description: '', tag: 'null' }],
    ],
    [
      'apostrophes that are no marks',
      "name,metadata.a\n's-Hertogenbosch,'90s\n",
      [{ name: "'s-Hertogenbosch", metadata: { a: "'90s" } }],
    ],
    [
      'what keeps codes from spreadsheets, also in a file of rejects',
      `sku,pn,metadata.a\n="00123",'00124,'5\n"=""00125""",'A1,="6"\n'="00126",A2,'=""\n`,
      [
        { sku: '00123', pn: '00124', metadata: { a: '5' } },
        { sku: '00125', pn: 'A1', metadata: { a: '6' } },
        { sku: '00126', pn: 'A2' },
      ],
    ],
    ['cells that look empty', 'sku,name,value,description,unit\n ,\u00a0,\u200b,=""," \n"\nA,,,,\n', [{ sku: 'A' }]],
    [
      'blanks around codes, units, types and numbers, but not in texts',
      'name,sku,unit,type,value,active\n a ,\u00a0A\u00a01 ,kg ,Service\u00a0, 5 , TRUE\n',
      [{ name: 'a', sku: 'A 1', unit: 'kg', type: 'service', value: 5, active: true }],
    ],
    [
      'a thousand beside a decimal comma',
      'value\n"12,50"\n1.000\n1.234.567\n',
      [{ value: 12.5 }, { value: 1000 }, { value: 1234567 }],
    ],
    [
      'a thousand beside a decimal point',
      'value\n0.125\n"1,000"\n1 000\n1\u202f234.5\n1\'234\n',
      [{ value: 0.125 }, { value: 1000 }, { value: 1000 }, { value: 1234.5 }, { value: 1234 }],
    ],
    [
      'one currency on nearly all amounts, before or behind them',
      csvLine(['value', 'cost']) +
        ['15 000Fcfa', '2 FCFA', '500 fcfa', 'Fcfa. 7'].map((text) => csvLine([text, 'R$ 1,50'])).join('') +
        csvLine(['8', '']),
      [15_000, 2, 500, 7, 8].map((value, index) => ({ value, ...(index < 4 && { cost: 1.5 }) })),
    ],
    [
      'yes and no as spreadsheets write them',
      'active\nWAHR\nFAUX\nyes\nНет\n',
      [true, false, true, false].map((active) => ({ active })),
    ],
    ['amounts that could be either, with an answer', 'value\n1.000\n', [{ value: 1000 }], { decimal: ',' }],
    [
      'custom fields that are numbers',
      'metadata.a,metadata.b,metadata.c\n1,-1.5,null\n20,0,7\n',
      [{ metadata: { a: 1, b: -1.5, c: null } }, { metadata: { a: 20, b: 0, c: 7 } }],
    ],
    [
      'custom fields beside those of one column',
      'metadata.a,metadata\nx,"{""a"":1,""b"":2}"\n',
      [{ metadata: { a: 'x', b: 2 } }],
    ],
    [
      'a decimal comma, where 1.5 is no number,',
      'value;metadata.a\n1,5;1.5\n',
      [{ value: 1.5, metadata: { a: '1.5' } }],
    ],
    [
      'categories by id and name',
      'category\n2\n CHAIRS\nnull\n3\n',
      [{ category: 2 }, { category: 2 }, { category: null }, { category: 3 }],
    ],
    [
      'both, and none that disagree',
      'category,category_name\n2,chairs\n,General\n',
      [{ category: 2 }, { category: 1 }],
    ],
    [
      'both of another account',
      'category,category_name\n1,General\n2,General\n2,General\n',
      [{ category: 1 }, { category: 1 }, { category: 1 }],
    ],
    [
      'both, where one of the names was changed',
      'category,category_name\n2,Chairs\n1,General\n2,General\n',
      [{ category: 2 }, { category: 1 }, { category: 2 }],
    ],
    ['the amounts of a workbook that are texts', [['value'], [1.5], ['1,5']], [{ value: 1.5 }, { value: 1.5 }]],
  ])('with %s is read', (_what, file, bodies, answers) => {
    expect(bodiesOf(file, answers)).toEqual(bodies);
  });

  const noNumbers = ['89490200001234567890', '1.10', '1E5', '00123', '1e+21', '-0', 'true', '{"a":1}', '1 000', '+5'];
  it.each(noNumbers)('with %s in a custom field is read as it is written, as is all of the column', (text) => {
    const bodies = bodiesOf(csvLine(['metadata.a']) + csvLine([text]) + csvLine([7]));
    expect(bodies).toEqual([{ metadata: { a: text } }, { metadata: { a: '7' } }]);
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffname\nÄ\n', 'utf16le'), undefined],
    ['UTF-16 without a mark', Buffer.from('name\r\nÄ\r\n', 'utf16le'), undefined],
    ['UTF-16 that begins with no Latin letter', Buffer.from('\u2003name\nÄ\n', 'utf16le'), undefined],
    ['UTF-16, the other way round', Buffer.from('\ufeffname\nÄ\n', 'utf16le').swap16(), undefined],
    ['an encoding that is said', Buffer.from('name\nÄ\n', 'latin1'), 'windows-1252'],
  ])('in %s is read', (_what, file, encoding) => {
    expect(bodiesOf(new Uint8Array(file), { encoding })).toEqual([{ name: 'Ä' }]);
  });

  it('tells all that cannot be read in a row, with what would be right', () => {
    const number = 'must be a number such as 1234.5, without percent signs';
    expect(reasonsOf('active,tax,category\nsold,21%,Sofas\n,,TWICE\n')).toEqual([
      [
        2,
        'active "sold" must be true, false, 1 or 0',
        `tax "21%" ${number}`,
        'category "Sofas" is no category of this account',
      ],
      [3, 'category "TWICE" is the name of several categories: give the id, 4 or 5'],
    ]);
    const wrong = ['5%', '1e+', '0x1', '12 50', '1,00,00', 'по запиту'];
    expect(reasonsOf(csvLine(['value']) + wrong.map((text) => csvLine([text])).join(''))).toEqual(
      wrong.map((text, index) => [index + 2, `value "${text}" ${number}`]),
    );
    expect(reasonsOf('value\n"1,5"\n', { decimal: '.' })).toEqual([
      [2, 'value "1,5" has ",", but the decimal mark of the file is "."'],
    ]);
    expect(reasonsOf('category,category_name\nSofas,Sofas\nOld,\n')).toEqual([
      [2, 'category "Sofas" is no category of this account'],
      [3, 'category "Old" is no category of this account'],
    ]);
    expect(reasonsOf('active,metadata\n10,[]\nuntrue,\n')).toEqual([
      [2, 'active "10" must be true, false, 1 or 0', 'metadata "[]" must be a JSON object'],
      [3, 'active "untrue" must be true, false, 1 or 0'],
    ]);
    const known = inspectSheet(new TextEncoder().encode('name,category,unit\na,7,pcs\nb,Chairs,un\n'));
    expect([...known.rows()].map(({ body, invalid }) => [body, invalid])).toEqual([
      [{ name: 'a', category: 7, unit: 'pcs' }, []],
      [{ name: 'b', unit: 'un' }, [expect.objectContaining({ field: 'category', rule: 'category_id' })]],
    ]);
  });

  const spreadsheetErrors = ['#N/A', '#REF!', '#WERT!', ' #DIV/0! ', '#¿NOMBRE?', '#Н/Д', '#GETTING_DATA', 'Err:502'];
  it.each(spreadsheetErrors)('refuses %s in each column', (cell) => {
    const [row] = [...inspect(`sku,name,value\n${cell},${cell},${cell}\n`).rows()];
    expect(row?.invalid.map(({ field, rule }) => [field, rule])).toEqual(
      ['sku', 'name', 'value'].map((field) => [field, 'error_cell']),
    );
  });

  it('keeps the lines and cells of rows, also of broken ones, and reads the others', () => {
    const { rows } = inspect('\nName,SKU \n"a\r\nb\rc",1\n\n\nc,2,3\nd,3,\n"g,6\nh,7\n');
    expect(
      [...rows()].map(({ line, cells, invalid }) => [line, cells, ...invalid.map(({ reason }) => reason)]),
    ).toEqual([
      [3, { Name: 'a\r\nb\rc', SKU: '1' }],
      [8, { Name: 'c', SKU: '2' }, 'has 3 cells instead of 2: a cell with a comma in it, such as 12,50, needs quotes'],
      [9, { Name: 'd', SKU: '3' }],
      [10, { Name: '"g', SKU: '6' }, 'has a quote that is not closed'],
      [11, { Name: 'h', SKU: '7' }],
    ]);
  });

  it.each<[file: string | Uint8Array, option: string, text: unknown, readings: unknown, answers?: SheetAnswers]>([
    [
      new Uint8Array(Buffer.from('name\na\nStra\xdfe\n', 'latin1')),
      'encoding',
      'The file is not UTF-8. Say its encoding, or save it as "CSV UTF-8".',
      expect.objectContaining({ 'windows-1252': 'Straße', 'windows-1251': 'StraЯe' }),
    ],
    ['name\na\n', 'encoding', expect.stringContaining('is not klingon'), {}, { encoding: 'klingon' }],
    [
      'Ab;c,d\n1;2,3\n',
      'separator',
      'More than one sign may be the separator.',
      { ',': 'Ab;c | d / 1;2 | 3', ';': 'Ab | c,d / 1 | 2,3' },
    ],
    [
      'Our list\nx,y,z\nx,1,2\n',
      'header',
      'Which line names the columns?',
      { 0: 'none: each line is a row', 1: 'Our list', 2: 'x | y | z', 3: 'x | 1 | 2' },
    ],
    [
      'a,b,c\nname,sku,value\n',
      'header',
      'Which line names the columns?',
      { 0: 'none: each line is a row', 1: 'a | b | c', 2: 'name | sku | value' },
    ],
    ['name\n', 'header', 'The file has no line 5.', {}, { header: 5 }],
    [
      'value\n1.000\n',
      'decimal',
      'The decimal mark of the numbers cannot be known.',
      { '.': '1.000 (line 2) is 1', ',': '1.000 (line 2) is 1000' },
    ],
    [
      'value,qty\n"1,5",2.5\n',
      'decimal',
      expect.anything(),
      {
        '.': '1,5 (line 2) is no number, 2.5 (line 2) is 2.5',
        ',': expect.stringContaining('2.5 (line 2) is no number'),
      },
    ],
    ['id,name\n1,a\n', 'columns', expect.stringContaining('columns that are unknown: "id".'), expect.anything()],
    ['sku,SKU\na,b\n', 'columns', expect.stringContaining('The columns "sku" and "SKU" are both sku.'), {}],
    ['name\na\n', 'columns', '"name" cannot be "title".', {}, { columns: 'name=title' }],
    ['name\na\n', 'columns', 'The file has no column for "x=sku".', {}, { columns: 'x=sku' }],
    [
      `name,${'k'.repeat(65)}\na,b\n`,
      'columns',
      expect.stringContaining('at most 64 characters: "kkk'),
      {},
      { columns: '*=metadata' },
    ],
  ])('asks what cannot be known: %s', (file, option, text, readings, answers) => {
    expect(questionsOf(file, answers)).toEqual([[option, text, readings]]);
  });

  it('tells unknown columns with those there are, and suggests what they may be', () => {
    const file = 'ID,Type,Name,Regular price,Sale price,Categories,Barcode\n44,service,Cap,18,,Chairs,5\n';
    const [[option, text, readings] = []] = questionsOf(file);
    expect([option, text]).toEqual([
      'columns',
      expect.stringMatching(
        /There are name, .*tag.*metadata\.color .* unknown: "ID", "Regular price", "Categories", "Barcode"\.$/,
      ),
    ]);
    const [answer = ''] = Object.keys(readings ?? {});
    expect(answer).toBe('Regular price=value,Categories=category,Barcode=pn,*=ignore');
    expect(bodiesOf(file, { columns: answer })).toEqual([
      { type: 'service', name: 'Cap', value: 18, category: 2, pn: '5' },
    ]);
    const { mapping } = inspect(file, { columns: answer });
    const sources = Object.fromEntries(mapping.map(({ name, target, source }) => [name, `${target}, ${source}`]));
    expect(sources).toMatchObject({ ID: 'ignore, others', Name: 'name, name', Barcode: 'pn, answer' });
    expect(sources['Sale price']).toBe('ignore, empty');
  });

  it.each([
    ['Artikel;Art.-Nr.;Preis netto;Einheit', 'Artikel=name,Art.-Nr.=sku,Preis netto=value,Einheit=unit'],
    [
      'Artikel;Internal Reference;Verkaufspreis;Strichcode',
      'Artikel=name,Internal Reference=sku,Verkaufspreis=value,Strichcode=pn',
    ],
    ['Produto;Código;Preço;Quantidade', 'Produto=name,Código=sku,Preço=value'],
    ['Désignation;Référence;Prix HT;Catégorie', 'Désignation=name,Référence=sku,Prix HT=value,Catégorie=category'],
    ['Název;Kód;Cena s DPH;Skladem', 'Název=name,Kód=sku,Cena s DPH=value,Skladem=metadata'],
    ['Ürün adı;Satış Fiyatı;KDV', 'Ürün adı=name,Satış Fiyatı=value,KDV=metadata'],
    ['Varenavn;Varenr;Pris', 'Varenavn=name,Varenr=sku,Pris=value'],
    ['Найменування;Артикул;Ціна з ПДВ', 'Найменування=name,Артикул=sku,Ціна з ПДВ=value'],
    ['商品名;商品コード;販売価格(税込);原価', '商品名=name,商品コード=sku,販売価格(税込)=value,原価=cost'],
    ['名称;单价;库存', '名称=name,单价=value,库存=metadata'],
    ['الاسم;الرمز;السعر', 'الاسم=name,الرمز=sku,السعر=value'],
    ['שם;מק"ט;מחיר', 'שם=name,מק"ט=sku,מחיר=value'],
    ['Name *;Purchase price;Sale price;Price;Tax rate', 'Purchase price=cost,Price=value,Tax rate=metadata'],
  ])('knows the words of tables in many languages, and takes no rate or stock for a field: %s', (heading, answer) => {
    const cells = heading.split(';').map((_, index) => index + 1);
    const [[, , readings = {}] = []] = questionsOf(`${heading};Zzz\n${cells.join(';')};1\n`);
    expect(Object.keys(readings)).toEqual([`${answer},*=ignore`, `${answer},*=metadata`]);
  });

  it('asks whether a first line with an amount is a row, and reads all lines if none names the columns', () => {
    const file = 'DESK-1,Oak desk,499.90\nDESK-2,Elm desk,399.90\nDESK-3,Pine shelf,99.90\n';
    expect(questionsOf(file)).toEqual([['header', 'Which line names the columns?', expect.anything()]]);
    const [[, , readings = {}] = []] = questionsOf(file, { header: 0 });
    const [columns = ''] = Object.keys(readings);
    expect(bodiesOf(file, { header: 0, columns }).map((body) => (body as { name?: string }).name)).toEqual([
      'Oak desk',
      'Elm desk',
      'Pine shelf',
    ]);
  });

  it('takes names with numbers for names, and revisions that are no numbers for those of another system', () => {
    expect(questionsOf('Size 38,Size 39,Zzz\nx,y,5\n').map(([option]) => option)).toEqual(['columns']);
    const file = 'id,name,revision\n5,Bolt,A\n6,Nut,2\n';
    expect(questionsOf(file)).toMatchObject([['columns', expect.stringContaining('unknown: "id", "revision".'), {}]]);
    expect(bodiesOf(file, { columns: '*=metadata' })).toEqual([
      { name: 'Bolt', metadata: { id: 5, revision: 'A' } },
      { name: 'Nut', metadata: { id: 6, revision: '2' } },
    ]);
  });

  it('takes types that no item has for those of another system', () => {
    const file = 'name,type,value\nOak,simple,5\nElm,variable,6\n';
    expect(questionsOf(file)).toMatchObject([['columns', expect.stringContaining('unknown: "type".'), {}]]);
    expect(bodiesOf(file, { columns: '*=metadata' })).toMatchObject([{ metadata: { type: 'simple' } }, {}]);
    expect(bodiesOf('name,type\nOak,Service\nElm,simple\n')).toMatchObject([{ type: 'service' }, { type: 'simple' }]);
    expect(bodiesOf('name,type\nOak,simple\n')).toMatchObject([{ type: 'simple' }]);
  });

  it.each([
    ['name,default_code,standard_price,list_price\nOak,A-1,5.00,9.00\nElm,A-2,6.00,9.50\n', undefined],
    ['Name,Cash price,Card price,Zzz\nOak,5200,5400,a\nElm,6200,6400,b\n', undefined],
    ['Name,Quantity,Unit price,Value\nOak,10,49.50,495.00\nElm,2,10.00,20.00\n', undefined],
    ['Name,Price,Weight g\nOak,5.00,1200\nElm,6.00,1300\n', 'Price=value'],
    ['Name,Precio Bs,Precio $\nFaro,2000.50,57.15\nFiltro,150.00,4.28\n', undefined],
    ['name,price,lst_price,list_price\nOak,0.0,6.0,6.0\nElm,0.0,7.0,7.0\n', undefined],
    ['name,price,list_price\nOak,0.0,6.0\nElm,0.0,7.0\n', 'list_price=value'],
  ])('suggests a price only if it is the usual one, and no amount as an identifier: %j', (file, price) => {
    const [[, , readings = {}] = []] = questionsOf(file);
    const first = Object.keys(readings)[0] ?? '';
    expect(/\b(Card price|Weight g|Cash price)=sku/.test(first)).toBe(false);
    const { mapping } = asked(() => inspect(file));
    const suggested = mapping.filter(({ suggestion, target }) => suggestion === 'value' || target === 'value');
    expect(suggested.map(({ name }) => `${name}=value`)).toEqual(price === undefined ? [] : [price]);
  });

  it('takes blanks before a quoted cell for nothing', () => {
    expect(bodiesOf('sku, name, value\nA-1, "Oak, small", 12\nA-2, "Elm" , 3\n')).toEqual([
      { sku: 'A-1', name: 'Oak, small', value: 12 },
      { sku: 'A-2', name: 'Elm', value: 3 },
    ]);
  });

  it('reads quantities with their unit, and names the unit that is left out', () => {
    const file = 'name,qty\nBolt,10 pcs\nNut,20 pcs\n';
    expect(bodiesOf(file)).toEqual([
      { name: 'Bolt', qty: 10 },
      { name: 'Nut', qty: 20 },
    ]);
    expect(inspect(file).warnings.map(({ text }) => text)).toEqual([
      'qty has the unit "pcs", which is left out (line 2 and 1 more).',
    ]);
  });

  it('learns a price, codes and names from cells whose columns say nothing', () => {
    const rows = ['K-001;Oak desk;12,50;1', 'K-002;Elm desk;7,00;1', 'K-003;Pine shelf;1.299,90;2'];
    const [[, , readings = {}] = []] = questionsOf(`Aaa;Bbb;Ccc;Ddd\n${rows.join('\n')}\n`);
    expect(Object.keys(readings)[0]).toBe('Aaa=sku,Bbb=name,Ccc=value,*=ignore');
    // Codes are no prices in a currency "A".
    const [[, , others = {}] = []] = questionsOf('Name;Bbb;Ccc\nOak;A1;12,50\nElm;A2;7,00\n');
    expect(Object.keys(others)[0]).toBe('Ccc=value,*=ignore');
  });

  it('prints no answer that leads to another question', () => {
    const long = 'k'.repeat(65);
    const [[, , readings = {}] = []] = questionsOf(`name,${long},Farbe\na,b,c\n`);
    expect(Object.keys(readings)).toEqual(['*=ignore', `${long}=ignore,*=metadata`]);
    for (const columns of Object.keys(readings))
      expect(bodiesOf(`name,${long},Farbe\na,b,c\n`, { columns })).toHaveLength(1);
    const [, ...rest] = questionsOf(`sku,SKU,Farbe\na,b,c\n`);
    expect(rest).toEqual([['columns', expect.stringContaining('unknown: "Farbe".'), {}]]);
  });

  it('tells categories that are missing once, with their rows, and an archived one', () => {
    const { unknownCategories, warnings } = inspect('name,category\na,Sofas\nb,sofas \nc,Old\nd,Chairs\ne,\n');
    expect(unknownCategories).toEqual([
      { name: 'Sofas', rows: 2, isArchived: false },
      { name: 'Old', rows: 1, isArchived: true },
    ]);
    expect(warnings).toEqual([
      {
        ...{ rule: 'unknown_categories', values: { rows: 3, names: ['Sofas', 'Old'] } },
        text: '3 rows have categories that the account does not have: "Sofas" (2), "Old" (1, archived).',
      },
    ]);
  });

  it('refuses the amounts of a column with several currencies, and of few, cell by cell', () => {
    const rulesOf = (cells: string[]) =>
      [...inspect(csvLine(['value']) + cells.map((cell) => csvLine([cell])).join('')).rows()].map(
        ({ body, invalid }) => body['value'] ?? invalid[0]?.rule,
      );
    expect(rulesOf(['€ 12.50', '$1,299.00', '12.00 CHF'])).toEqual(['currency', 'currency', 'currency']);
    expect(rulesOf(['1', '2', '3', '€ 4'])).toEqual([1, 2, 3, 'currency']);
    expect(rulesOf([...Array(10).fill('2 CHF'), '3 EUR'])).toEqual([...Array(10).fill(2), 'currency']);
    expect(rulesOf(['5 mil', '6 mil'])).toEqual(['number', 'number']);
  });

  it.each([
    ['Title\n\nname,sku\na,b\n', ['Line 3 is taken for the names of the columns. What is above it is not read.']],
    [
      'name,PN\na,9.78014E+12\nb,9.78014E+12\n',
      ['PN "9.78014E+12" is what a spreadsheet makes of long digits (line 2 and 1 more).'],
    ],
    ['name\n', ['There are no rows below line 1.']],
    [
      'PN\n"9,78014E+12"\nMar-05\n01. Mrz\n2025-03-05\nMAR-05\n',
      [
        'PN "9,78014E+12" is what a spreadsheet makes of long digits (line 2).',
        'PN "Mar-05" is what a spreadsheet makes of a text that could be a date (line 3 and 2 more).',
      ],
    ],
    [
      'value,tax\n0.00035,0.1234567\n1.23456,1\n1.5,2\n',
      [
        'value "0.00035" is rounded to 4 decimals (line 2 and 1 more).',
        'tax "0.1234567" is rounded to 6 decimals (line 2).',
      ],
    ],
    ['cost\n2 CHF\n3 CHF\n', ['cost has the currency "CHF", which is left out (line 2 and 1 more).']],
    ['name\na\nname\nb\n', ['The names of the columns are repeated, and left out (line 3).']],
    [
      'name,value,tag\na,12,50,\nb,13,75,\n',
      [
        'Rows have more commas than the names of the columns: a number with a decimal comma needs quotes (line 2 and 1 more).',
      ],
    ],
    ['"name,sku"\n"a,A"\n', ['Each line is in quotes as a whole. What is within them is read.']],
    ['name\nStraÃŸe\nKaf\ufffd\nCÃO\n', ['name has letters that were saved in a wrong encoding (line 2 and 1 more).']],
    [
      'name\n"5\\" pipe"\n"6"" pipe"\n7" pipe\n',
      ['A cell goes on after its closing quote, so its quotes are kept (line 2).'],
    ],
    ['name\nN/A\n\\N\n(null)\n—\n', ['name "N/A" is what programs write where there is no value (line 2 and 3 more).']],
    [
      `${responseOnly.join(';')};pn;name\n;;;;;;9,78014E+12;N/A\n;;;;;;Mar-05;StraÃŸe\n`,
      [
        'pn "9,78014E+12" is what a spreadsheet makes of long digits (line 2).',
        'pn "Mar-05" is what a spreadsheet makes of a text that could be a date (line 3).',
        'name has letters that were saved in a wrong encoding (line 3).',
      ],
    ],
    [
      'category,category_name\n2,General\n2,General\n1,Chairs\n',
      ['category 2 is "Chairs", but category_name is "General": the name counts (line 2 and 2 more).'],
    ],
  ])('warns of what is read in spite of being odd: %j', (file, warnings) => {
    expect(inspect(file).warnings.map(({ text }) => text)).toEqual(warnings);
  });

  it('warns of numbers and dates in columns of identifiers of a workbook, and of digits that it has lost', () => {
    const rows = [['sku', 'metadata.a'], [1, 8.94902e19], [2], ['2025-03-05']];
    expect(inspect(rows).warnings.map(({ text }) => text)).toEqual([
      'sku has numbers in the workbook: zeros before them may be hidden there (line 2 and 1 more).',
      'sku "2025-03-05" is what a spreadsheet makes of a text that could be a date (line 4).',
      'metadata.a has numbers of which the workbook keeps only 15 digits (line 2).',
    ]);
  });

  it('is read from the sheet of a workbook that has something, and asked for if several have', () => {
    const workbook = [sheetOf('Notes', [['Read me']]), sheetOf('Empty', []), sheetOf('Prices', [['name'], ['a']])];
    const read = (sheets: typeof workbook, sheet?: string) => inspectSheet(sheets, { sheet }, categories);
    const readings = [
      { answer: 'Notes', shown: 'Notes: Read me' },
      { answer: 'Prices', shown: 'Prices: name' },
    ];
    expect(asked(() => read(workbook)).questions).toMatchObject([
      { option: 'sheet', text: 'Which sheet is to be read?', readings },
    ]);
    const unknown = { option: 'sheet', text: 'There is no sheet "x".', readings };
    expect(asked(() => read(workbook, 'x')).questions).toMatchObject([unknown]);
    expect([...read(workbook, 'Prices').rows()]).toMatchObject([{ body: { name: 'a' } }]);
    expect([...read(workbook.slice(1)).rows()]).toMatchObject([{ body: { name: 'a' } }]);
  });
});

/** What a create makes of a body: null is the same as nothing, except that there is a default category. */
function asCreated({ metadata, ...body }: JsonObject): JsonObject {
  const isSaid = ([name, value]: [string, unknown]) => value !== null || name === 'category';
  const said = Object.fromEntries(Object.entries(body).filter(isSaid));
  const custom = Object.fromEntries(Object.entries(metadata ?? {}).filter(([, value]) => value !== null));
  // As JSON, so that -0 is 0.
  return JSON.parse(
    JSON.stringify({
      ...said,
      ...('active' in said && { active: said['active'] === true || said['active'] === 1 }),
      metadata: custom,
    }),
  );
}
