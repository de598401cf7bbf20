import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSheet, type SheetMessage, writeRejects } from '../../client/import/1-read.ts';
import { writeItems } from '../../client/import/writeItems.ts';
import { type SheetAnswers, UnreadableSheet } from '../../client/sheet/notices.ts';

/** The workers as they are packed: they may use nothing but what a worker of a browser has. */
const workers = new Map<string, (scope: object) => void>();
beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['sheetWorker', 'workbookWorker'].map((name) =>
      fileURLToPath(new URL(`../../client/import/${name}.ts`, import.meta.url)),
    ),
    ...{ bundle: true, format: 'iife', write: false, outdir: 'client', define: { globalThis: 'workerScope' } },
  });
  for (const { path, text } of outputFiles)
    workers.set(basename(path), new Function('workerScope', 'Buffer', 'process', 'require', text) as () => void);
});

/** What was sent to the page at once. */
let messages: SheetMessage[];
beforeEach(() => {
  messages = [];
  vi.stubGlobal(
    'Worker',
    class {
      onmessage?: (event: { data: unknown }) => void;
      readonly url: URL;
      readonly scope: {
        onmessage?: (event: { data: unknown }) => Promise<void>;
        postMessage(message: SheetMessage): void;
      };
      constructor(url: URL) {
        this.url = url;
        this.scope = {
          postMessage: (message) => {
            messages.push(message);
            this.onmessage?.({ data: structuredClone(message) });
          },
        };
        workers.get(basename(url.pathname))?.(this.scope);
      }
      postMessage({ file, ...rest }: { readonly file: Blob }): void {
        this.scope.onmessage?.({ data: { file, ...structuredClone(rest) } });
      }
      terminate(): void {}
    },
  );
});
afterEach(() => void vi.unstubAllGlobals());

const read = (text: string | Uint8Array<ArrayBuffer>, answers?: SheetAnswers | '.' | ',') =>
  readSheet(new Blob([text]), answers);

describe('writeItems', () => {
  it('writes items that are read as updates of the same items', async () => {
    const times = { create_date: '2026-01-02T03:04:05Z', updated_at: '2026-01-02T03:04:05Z', updated_by: 'ann' };
    const body = { name: '=Oak; "small"', value: 1250.5, sku: '007', metadata: { legs: 4, size: '1.10', sold: true } };
    const others = {
      type: 'product',
      category: null,
      qty: 0,
      unit: 'unit',
      cost: 0,
      tax: 0,
      pn: null,
      tag: null,
    } as const;
    const item = {
      ...others,
      ...times,
      ...body,
      id: 7,
      revision: 3,
      description: null,
      active: true,
      category_name: null,
    };
    const plain = { ...item, id: 8, name: 'Elm', sku: null, metadata: {} };
    const { rows } = await read(writeItems([item, plain]));
    expect(rows.map(({ id, revision, body: { name } }) => [id, revision, name])).toEqual([
      [7, 3, body.name],
      [8, 3, 'Elm'],
    ]);
    expect(rows[0]?.body).toMatchObject(body);
  });
});

describe('readSheet', () => {
  it('reads sheets as operators do, with the cells and lines of the file and what was found in it', async () => {
    const text = '\ufeffName;value;metadata.color;id;revision\r\n"a\r\nb";x;04;7;2\r\n\r\n\'=1;1,5;;;\r\n';
    const byName = (name: string, target: string, examples: string[]) => ({ name, target, source: 'name', examples });
    expect(await read(text)).toEqual({
      ...{
        columns: ['Name', 'value', 'metadata.color', 'id', 'revision'],
        separator: ';',
        decimalMark: ',',
        header: 1,
      },
      ...{ encoding: 'utf-8', isExport: false, warnings: [], unknownCategories: [], texts: ['metadata.color'] },
      mapping: [
        byName('Name', 'name', ['a\r\nb', "'=1"]),
        byName('value', 'value', ['x', '1,5']),
        byName('metadata.color', 'metadata.color', ['04']),
        byName('id', 'id', ['7']),
        byName('revision', 'revision', ['2']),
      ],
      rows: [
        {
          ...{ line: 2, id: 7, revision: 2 },
          cells: { Name: 'a\r\nb', value: 'x', 'metadata.color': '04', id: '7', revision: '2' },
          body: { name: 'a b', metadata: { color: '04' } },
          invalid: [
            {
              ...{ field: 'value', rule: 'number', values: { cell: 'x', decimal: ',' } },
              reason: '"x" must be a number such as 1234,5, without percent signs',
            },
          ],
        },
        {
          ...{ line: 5, cells: { Name: "'=1", value: '1,5', 'metadata.color': '', id: '', revision: '' } },
          ...{ body: { name: '=1', value: 1.5 }, invalid: [] },
        },
      ],
    });
    const categories = [{ id: 2, name: 'Chairs', archived: false }];
    const named = await readSheet(new Blob(['name,category\na,chairs\n']), {}, categories);
    expect(named.rows[0]?.body).toEqual({ name: 'a', category: 2 });
    expect((await read('')).rows).toEqual([]);
  });

  it('reads workbooks in a worker of their own', async () => {
    const book = readFileSync(new URL('../support/items/desk.xlsx', import.meta.url));
    const { rows } = await read(new Uint8Array(book));
    const desk = { name: 'Desk', sku: '00123', value: 19.99, metadata: { since: '2025-11-20' } };
    expect(rows.map(({ line, body }) => [line, body])).toEqual([[2, desk]]);
    await expect(read('PK\u0003\u0004')).rejects.toThrow('save it in Excel as .xlsx or "CSV UTF-8"');
  });

  it('asks what cannot be known before it reads any of a file', async () => {
    const text = 'name,nmae\na,b\n';
    const refused = await read(text).catch((error) => error);
    expect(refused).toBeInstanceOf(UnreadableSheet);
    expect([refused.columns, refused.message]).toEqual([['nmae'], expect.stringContaining('are unknown: "nmae"')]);
    expect(refused.questions).toMatchObject([{ option: 'columns', readings: expect.any(Array) }]);
    await expect(read(text, { columns: '*=metadata' })).resolves.toMatchObject({ header: 1 });
  });

  it('gives the page few rows at a time, all of them', async () => {
    const { rows } = await read(`name\n${Array.from({ length: 5_000 }, (_, index) => `Item ${index}\n`).join('')}`);
    expect(rows.map(({ body }) => body.name)).toEqual(Array.from({ length: 5_000 }, (_, index) => `Item ${index}`));
    expect(Math.max(...messages.map((message) => ('rows' in message ? message.rows.length : 0)))).toBe(200);
  });

  it('takes categories that a library keeps as proxies', async () => {
    const categories = new Proxy([{ id: 3, name: 'Chairs', archived: false }], {});
    const { rows } = await readSheet(new Blob(['name,category\nA,Chairs\n']), new Proxy({}, {}), categories);
    expect(rows[0]?.body).toMatchObject({ category: 3 });
  });

  it('says why a file or the worker cannot be loaded', async () => {
    const gone = Object.assign(new Blob([]), { arrayBuffer: () => Promise.reject(new Error('The file is gone')) });
    await expect(readSheet(gone)).rejects.toThrow('The file is gone');
    vi.stubGlobal(
      'Worker',
      class {
        onerror?: (event: object) => void;
        postMessage = () => this.onerror?.({});
        terminate = () => {};
      },
    );
    await expect(read('name\n')).rejects.toThrow('could not be loaded');
  });

  it('writes rejects as `item import` does, which are read again when they are fixed', async () => {
    const sheet = await read('name;value\n"=a;b";x\nc;2\n', ',');
    const problems = [
      { field: 'value', reason: 'is wrong' },
      { field: 'metadata', path: '/a', reason: 'is too deep' },
    ];
    const rejected = sheet.rows.slice(0, 1).map((row) => ({ ...row, problems }));
    const text = writeRejects(sheet, rejected);
    const head = '\ufeff"name";"value";"reject_line";"reject_field";"reject_reason"\r\n';
    expect(text).toBe(`${head}"'=a;b";"x";"2";"value; metadata";"is wrong; /a is too deep"\r\n`);
    const again = await read(text.replace('"x"', '"1,5"'), ',');
    expect(again.rows.map(({ body }) => body)).toEqual([{ name: '=a;b', value: 1.5 }]);
  });

  it('writes empty cells for those that a row lacks, also of columns whose names every object has', async () => {
    const sheet = await read('name,metadata.toString,toString\nShort\n', { columns: 'toString=ignore' });
    expect(sheet.rows[0]?.cells).toEqual({ name: 'Short', 'metadata.toString': '', toString: '' });
    const rejects = writeRejects(sheet, [{ line: 2, cells: sheet.rows[0]?.cells ?? {}, problems: [] }]);
    expect(rejects.split('\r\n')[1]).toBe('"Short","","","2","",""');
  });

  it('writes rejects that run nothing in a spreadsheet, and come back as the same texts', async () => {
    const cells = ['=HYPERLINK("x")', '+49 30', '-5', '4006381333931'];
    const names = ['name', '=sku', 'value', 'metadata.ean'];
    const text = `${names.join()}\n"=HYPERLINK(""x"")",+49 30,-5,4006381333931\na,b,1,0400638133393\n`;
    const sheet = await read(text, { columns: '=sku=sku' });
    const problems = [{ field: 'value', reason: '=wrong' }];
    const written = writeRejects(sheet, [
      { line: 2, cells: Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ''])), problems },
    ]);
    expect(written.split('\r\n').slice(0, 2)).toEqual([
      `\ufeff"name","'=sku","value","metadata.ean","reject_line","reject_field","reject_reason"`,
      `"'=HYPERLINK(""x"")","'+49 30","-5","'4006381333931","2","value","'=wrong"`,
    ]);
    const again = await read(written, { columns: '=sku=sku' });
    expect(again.rows[0]?.body).toEqual(sheet.rows[0]?.body);
    expect(again.rows[0]?.body.metadata).toEqual({ ean: '4006381333931' });
  });

  it('is loaded beside what is built, as bundlers know it', () => {
    const source = readFileSync(new URL('../../client/import/1-read.ts', import.meta.url), 'utf8');
    for (const worker of ['sheetWorker', 'workbookWorker'])
      expect(source).toContain(`new Worker(new URL('./${worker}.js', import.meta.url), { type: 'module' })`);
  });
});
