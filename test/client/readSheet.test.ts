import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import * as fc from 'fast-check';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { readSheet, type SheetMessage, UnreadableSheet, writeRejects } from '../../client/readSheet.ts';
import { csvLineOf } from '../../portable/sheet/cells.ts';
import { csvLine } from '../../portable/sheet/csvLine.ts';
import { acceptedBody } from '../support/arbitraries.ts';

/** The worker as it is packed: it may use nothing but what a worker of a browser has. */
let worker: (scope: object) => void;
beforeAll(async () => {
  const entry = fileURLToPath(new URL('../../client/sheetWorker.ts', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    ...{ bundle: true, format: 'iife', write: false, define: { globalThis: 'workerScope' } },
  });
  worker = new Function('workerScope', 'Buffer', 'process', 'require', outputFiles[0]?.text ?? '') as typeof worker;
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
        worker(this.scope);
      }
      postMessage(data: unknown): void {
        this.scope.onmessage?.({ data });
      }
      terminate(): void {}
    },
  );
});
afterEach(() => void vi.unstubAllGlobals());

const read = (text: string | Uint8Array<ArrayBuffer>, decimalMark?: '.' | ',') =>
  readSheet(new Blob([text]), decimalMark);

describe('readSheet', () => {
  it('says the same of any items as what was written, whatever their texts and custom fields are', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(acceptedBody, { minLength: 1, maxLength: 5 }), async (items) => {
        const columns = ['name', 'sku', 'value', 'metadata'];
        const { rows } = await read(csvLine(columns) + items.map((item) => csvLineOf(item, columns)).join(''));
        expect(rows.map(({ body }) => [body.name, body.value])).toEqual(
          items.map(({ name, value }) => [
            name ?? undefined,
            value === undefined ? value : JSON.parse(JSON.stringify(value)),
          ]),
        );
      }),
    );
  });

  it('reads marks, decimals, separators and custom fields, with the cells and lines of the file', async () => {
    const text = '\ufeffname;value;metadata.color;id\r\n"a\r\nb";\'12;04;7\r\n\r\n\'=1;1,5;;\r\n';
    expect(await read(text, ',')).toEqual({
      ...{ columns: ['name', 'value', 'metadata.color', 'id'], separator: ';', decimalMark: ',' },
      rows: [
        {
          ...{ line: 2, cells: { name: 'a\r\nb', value: "'12", 'metadata.color': '04', id: '7' } },
          body: { name: 'a\r\nb', metadata: { color: '04' } },
          invalid: [{ field: 'value', reason: expect.stringMatching(/^must be a number/), rule: 'unreadable' }],
        },
        {
          ...{ line: 5, cells: { name: "'=1", value: '1,5', 'metadata.color': '', id: '' } },
          ...{ body: { name: '=1', value: 1.5 }, invalid: [] },
        },
      ],
    });
    expect(await read('name,value\na,1.5\n')).toMatchObject({ decimalMark: '.', rows: [{ body: { value: 1.5 } }] });
    const unsure = await read('name;value\na;1,5\n');
    expect(unsure.decimalMark).toBeUndefined();
    expect(unsure.rows[0]?.invalid).toMatchObject([{ field: 'value', reason: expect.stringContaining('say what') }]);
    expect((await read('')).rows).toEqual([]);
  });

  it('keeps what follows a quote that is not closed as a row that cannot be read', async () => {
    const { rows } = await read('name\na\n"b\nc\n');
    expect(rows.map(({ line, invalid }) => [line, invalid.map(({ field }) => field)])).toEqual([
      [2, []],
      [3, ['row']],
    ]);
  });

  it.each([
    ['unknown columns', 'name,nmae,sku,sku\n', ['nmae', 'sku'], 'unknown or named twice: nmae, sku'],
    ['another encoding', new Uint8Array([0x6e, 0xfc]), [], 'save it as "CSV UTF-8"'],
  ])('refuses a file with %s', async (_, text, columns, message) => {
    const refused = await read(text).catch((error) => error);
    expect(refused).toBeInstanceOf(UnreadableSheet);
    expect([refused.columns, refused.message]).toEqual([columns, expect.stringContaining(message)]);
  });

  it('gives the page few rows at a time, all of them', async () => {
    const { rows } = await read(`name\n${Array.from({ length: 5_000 }, (_, index) => `Item ${index}\n`).join('')}`);
    expect(rows.map(({ body }) => body.name)).toEqual(Array.from({ length: 5_000 }, (_, index) => `Item ${index}`));
    expect(Math.max(...messages.map((message) => ('rows' in message ? message.rows.length : 0)))).toBe(200);
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

  it('writes rejects as `item import` does, which are read again when they are mended', async () => {
    const sheet = await read('name;value\n"=a;b";x\nc;2\n', ',');
    const problems = [
      { field: 'value', reason: 'is wrong' },
      { field: 'metadata', path: '/a', reason: 'is too deep' },
    ];
    const text = writeRejects(
      sheet,
      sheet.rows.slice(0, 1).map((row) => ({ ...row, problems })),
    );
    const head = '\ufeff"name";"value";"reject_line";"reject_field";"reject_reason"\r\n';
    expect(text).toBe(`${head}"=a;b";"x";"2";"value; metadata";"is wrong; /a is too deep"\r\n`);
    const again = await read(text.replace('"x"', '"1,5"'), ',');
    expect(again.rows.map(({ body }) => body)).toEqual([{ name: '=a;b', value: 1.5 }]);
    expect(
      writeRejects(
        again,
        again.rows.map((row) => ({ ...row, problems })),
      ),
    ).toBe(text.replace('"x"', '"1,5"'));
  });

  it('is loaded beside what is built, as bundlers know it', () => {
    const source = readFileSync(new URL('../../client/readSheet.ts', import.meta.url), 'utf8');
    expect(source).toContain("new Worker(new URL('./sheetWorker.js', import.meta.url), { type: 'module' })");
  });
});
