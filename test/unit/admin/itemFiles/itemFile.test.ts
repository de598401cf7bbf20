import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inspectFile, type Row, readRows } from '../../../../admin/itemFiles/readRows.ts';
import type { JsonObject } from '../../../../lib/item/json.ts';
import { csvLineOf, customPrefix, type DecimalMark, writeCell } from '../../../../portable/sheet/cells.ts';
import { csvLine } from '../../../../portable/sheet/csvLine.ts';
import { acceptedBody, anyText } from '../../../support/arbitraries.ts';
import { temporaryFolder } from '../../../support/serviceFolder.ts';

const folder = temporaryFolder();
const file = join(folder, 'items');

async function rowsOf(
  text: string | Buffer,
  format: 'csv' | 'jsonl' = 'csv',
  decimalMark?: DecimalMark,
): Promise<Row[]> {
  writeFileSync(file, text);
  const inspected = await inspectFile(file, format);
  const rows: Row[] = [];
  for await (const row of readRows({ ...inspected, decimalMark: decimalMark ?? inspected.decimalMark })) rows.push(row);
  return rows;
}
const bodiesOf = async (...args: Parameters<typeof rowsOf>) => (await rowsOf(...args)).map(({ body }) => body);
const reasonsOf = async (...args: Parameters<typeof rowsOf>) =>
  (await rowsOf(...args)).map(({ line, invalid }) => [
    line,
    ...invalid.map(({ field, reason }) => `${field} ${reason}`),
  ]);

describe('a CSV file', () => {
  it('says the same of any items, whatever their texts and custom fields are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acceptedBody, { minLength: 1, maxLength: 5 }), fc.nat(5), async (items, columns) => {
        const keys = [...new Set(items.flatMap(({ metadata }) => Object.keys(metadata ?? {})))];
        const names = [
          ...new Set(items.flatMap(Object.keys)),
          ...keys.slice(0, columns).map((key) => customPrefix + key),
        ];
        const text = csvLine(names) + items.map((item) => csvLineOf(item, names)).join('');
        expect((await bodiesOf(text)).map(asCreated)).toEqual(items.map(asCreated));
      }),
    );
  });

  it('has a custom field either in its own column or in the column metadata', () => {
    const columns = ['name', 'metadata', 'metadata.a'];
    expect(csvLineOf({ name: 'Chair', metadata: { a: 1, b: 2 } }, columns)).toBe(csvLine(['Chair', '{"b":2}', '1']));
    expect(csvLineOf({ name: 'Chair', metadata: { a: 1 } }, columns)).toBe(csvLine(['Chair', '', '1']));
  });

  it('has no cell that a spreadsheet would run', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'),
        anyText,
        (start, text) => {
          for (const column of ['name', 'sku', 'metadata.color'])
            expect(writeCell(column, start + text)).toBe(`'${start}${text}`);
        },
      ),
    );
  });

  it.each([
    ['a byte order mark and semicolons', '\ufeffname;value\r\n"a;b";12\r\n', [{ name: 'a;b', value: 12 }]],
    [
      'tabs',
      'name\tvalue\na\t1\n\nb\t2',
      [
        { name: 'a', value: 1 },
        { name: 'b', value: 2 },
      ],
    ],
    [
      'the separator that the first line has most of',
      'name;metadata.a,b;value\nx;1;2',
      [{ name: 'x', value: 2, metadata: { 'a,b': 1 } }],
    ],
    ['fewer cells, and columns of responses', 'id,name,category_name,sku\n7,a\n', [{ name: 'a' }]],
    [
      'numbers and booleans as spreadsheets write them',
      'value,tax,active\n 1E+2 ,-0.5,TRUE\n1.50,,0\n',
      [
        { value: 100, tax: -0.5, active: true },
        { value: 1.5, active: false },
      ],
    ],
    [
      'marks',
      "name,category,sku,description,tag\n'=a,null,null,','null\n",
      [{ name: '=a', category: null, sku: null, description: '', tag: 'null' }],
    ],
    [
      'apostrophes that are no marks',
      "name,metadata.a\n's-Hertogenbosch,'t\n",
      [{ name: "'s-Hertogenbosch", metadata: { a: "'t" } }],
    ],
    [
      'custom fields of every type',
      'metadata.a.b,metadata.c,metadata.d,metadata.e,metadata.f,metadata\n4,\'4,01234,TRUE,"[{""x"":null}]","{""z"":1}"\n',
      [{ metadata: { 'a.b': 4, c: '4', d: '01234', e: 'TRUE', f: [{ x: null }], z: 1 } }],
    ],
  ])('with %s is read', async (_what, text, bodies) => {
    expect(await bodiesOf(text)).toEqual(bodies);
  });

  it.each(["''=1", "'null", "''", "'='", "''t"])('has %j as a text that is read as it was written', async (text) => {
    expect(await bodiesOf(`name\n${writeCell('name', text)}\n`)).toEqual([{ name: text }]);
  });

  it('with a decimal comma is read if that is said, and nothing is guessed', async () => {
    expect(await bodiesOf('name;value\na;12,5\n', 'csv', ',')).toEqual([{ name: 'a', value: 12.5 }]);
    const unsure = 'value may have a decimal mark or a thousands separator: say what the decimal mark is';
    const number = 'value must be a number such as 1234.5, without thousands separators, currency and percent signs';
    expect(await reasonsOf('value;tax\n1,234;1.5\n')).toEqual([[2, unsure, unsure.replace('value', 'tax')]]);
    expect(await reasonsOf('value\n"1,5"\n"1,234.5"\n1 000\n€5\n5%\n1e\n0x1\n')).toEqual([
      [2, 'value has ",", but the decimal mark of the file is "."'],
      ...[3, 4, 5, 6, 7, 8].map((line) => [line, number]),
    ]);
    expect(await reasonsOf('value;tax\n1x;1,5\n', 'csv', ',')).toEqual([[2, number.replace('.', ',')]]);
    expect(await reasonsOf('active,metadata\nja,[]\n')).toEqual([
      [2, 'active must be true, false, 1 or 0', 'metadata must be a JSON object'],
    ]);
    expect(await reasonsOf('active\n10\n01\nuntrue\ntrue!\n')).toEqual(
      [2, 3, 4, 5].map((line) => [line, 'active must be true, false, 1 or 0']),
    );
  });

  it('rejects broken rows with their lines, and reads the others', async () => {
    expect((await rowsOf('name\r\n"a\r\nb"\r\nc\r\n')).map(({ line }) => line)).toEqual([2, 4]);
    expect(await reasonsOf('\nname,sku\n"a\nb",1\n\n\nc,2,3\nd"x,4\n"e"f,5\n"g,6\nh,7\n')).toEqual([
      [3],
      [7, 'row has 3 cells instead of 2'],
      [8],
      [9],
      [10, 'row is too long, or has a quote that is not closed; the file was not read beyond it'],
    ]);
  });

  it.each([
    ['name,nmae,sku,sku\n', 'The file has columns that are unknown or named twice: "nmae", "sku".'],
    [Buffer.from('name\nStühle\n', 'latin1'), `The file ${file} cannot be read: is not UTF-8: save it as "CSV UTF-8".`],
    [
      Buffer.from('\ufeffname\na\n', 'utf16le'),
      `The file ${file} cannot be read: is not UTF-8: save it as "CSV UTF-8".`,
    ],
  ])('is refused as a whole if it says %j', async (text, message) => {
    await expect(rowsOf(text)).rejects.toThrow(message);
  });
});

describe('a file of JSON Lines', () => {
  it('is read line by line, with what cannot be read', async () => {
    const text = '\ufeff{"name":"a\u2028b","id":7}\r\n\n[1]\n{"name":"c"\n{"nmae":"d","reject":{}}\n{"name":"e"}';
    expect(await reasonsOf(text, 'jsonl')).toEqual([
      [1],
      [3, 'row is not a JSON object'],
      [4, 'row is not a JSON object'],
      [5, 'nmae is not a field of an item'],
      [6],
    ]);
    expect((await bodiesOf(text, 'jsonl'))[0]).toEqual({ name: 'a\u2028b' });
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
