import { cpSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { sampleItem, shownSampleItem } from '../support/items/sampleItem.ts';

/** What a new identifier needs besides its row in the table. The compiler asks for each. */
const rows: Readonly<Record<string, readonly [after: RegExp, row: string]>> = {
  'lib/item/fields.ts': [/^ {2}pn: identifier,$/m, '$&\n  barcode: identifier,'],
  'lib/item/accepts.ts': [/^ {2}pn: identifier,$/m, '$&\n  barcode: identifier,'],
  'lib/item/errors.ts': [/pn: 'part number'/, "$&, barcode: 'barcode'"],
  'lib/openapi/itemSchemas.ts': [/^ {2}pn: .*$/m, "$&\n  barcode: 'The barcode.',"],
};

/** A copy of the sources whose items have a barcode. */
const copy = mkdtempSync(join(tmpdir(), 'added-field-'));
for (const name of ['lib', 'client', 'admin', 'cli', 'tsconfig.json'])
  cpSync(name, join(copy, name), { recursive: true, filter: (path) => !/node_modules|dist/.test(path) });
symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
for (const [file, [after, row]] of Object.entries(rows)) {
  const text = readFileSync(file, 'utf8');
  if (!after.test(text)) throw new Error(`${file} has changed`);
  writeFileSync(join(copy, file), text.replace(after, row));
}

const load = (file: string) => import(pathToFileURL(join(copy, file)).href);

const barcode = '4006381333931';
const item = { ...shownSampleItem, active: true, barcode };

it('the contract has an added identifier', async () => {
  const { openApiDocument } = await load('lib/openapi/openApiDocument.ts');
  const { paths, components } = openApiDocument('1');
  const { Item, NewItem, ItemChanges, Row, Batch, TakenIdentifier } = components.schemas;
  for (const { properties } of [Item, NewItem, ItemChanges, Row])
    expect(properties.barcode).toMatchObject({ type: ['string', 'null'], maxLength: 45 });
  expect(Batch.properties.match.oneOf[0].enum).toContain('barcode');
  expect(TakenIdentifier.properties.field.enum).toContain('barcode');
  const inQuery = expect.objectContaining({ in: 'query', name: 'barcode' });
  expect(paths['/api/v1/api/v1/items'].get.parameters).toContainEqual(inQuery);
});

it('a batch matches items by an added identifier, and the store guards it', async () => {
  const { readBatch } = await load('lib/catalog/readBatch.ts');
  expect(readBatch({ match: 'barcode', rows: [{ barcode }] }, undefined, []).match).toBe('barcode');
  const { identifiersNotIn, noIdentifiers } = await load('lib/store/records/guardRecord.ts');
  const { newItemRecord, readItem } = await load('lib/store/records/itemRecord.ts');
  const record = newItemRecord({ account: 'acme', user: 'ann', writeId: 'w' }, { ...sampleItem, barcode });
  expect(identifiersNotIn(readItem(record).item, noIdentifiers)).toContainEqual({ name: 'barcode', text: barcode });
});

it('a form changes and removes an added field', async () => {
  const { inputNames, readDraft } = await load('client/form/itemDraft.ts');
  expect(inputNames).toContain('barcode');
  expect(readDraft({ typed: { barcode: '1' } }, item).changes).toEqual({ barcode: '1' });
  expect(readDraft({ typed: { barcode: '' } }, item).changes).toEqual({ barcode: null });
});

it('a search finds an added identifier, in memory and by the service', async () => {
  const { createCatalogClient } = await load('client/public/index.ts');
  const { ItemSearch } = await load('client/items/itemSearch.ts');
  const queries: string[] = [];
  const fetch = async ({ url }: Request) => {
    queries.push(new URL(url).search);
    const page = { data: [item], next_cursor: null };
    return Response.json(url.includes('changes') ? { ...page, data: [], read_at: item.updated_at } : page);
  };
  const client = createCatalogClient({ baseUrl: 'http://catalog.test', getAccessToken: async () => 'token', fetch });
  const ended = new AbortController();
  const search = new ItemSearch(client, { signal: ended.signal });
  expect(await search.find(barcode)).toEqual([item]);
  expect(queries).toContainEqual(expect.stringContaining(`barcode=${barcode}`));
  await search.load();
  expect(search.searchedBy).toBe('words');
  expect(await search.find(barcode.slice(0, 5))).toEqual([item]);
  ended.abort();
});

it('a sheet has a column for an added identifier, by which its rejects can update items', async () => {
  const { inspectSheet } = await load('client/sheet/inspectSheet.ts');
  const sheet = inspectSheet(new TextEncoder().encode(`name,Barcode,value\nDesk,${barcode},5\nLamp,4E+12,5\n`));
  expect(sheet.mapping[1]).toMatchObject({ target: 'barcode' });
  expect([...sheet.rows()][0].body).toEqual({ name: 'Desk', barcode, value: 5 });
  expect(sheet.warnings).toMatchObject([{ rule: 'long_digits' }]);
  const { findTotals } = await load('client/sheet/rowPrices.ts');
  const total = { line: 2, body: { name: 'Total', value: 5, barcode } };
  expect(findTotals([{ line: 1, body: { value: 5 } }, total])).toEqual([]);
  const { takenLines } = await load('admin/itemFiles/importText.ts');
  const taken = { problems: [{ field: 'barcode', rule: 'taken', item: 1 }] };
  expect(takenLines([taken], undefined)).toEqual([expect.stringContaining('--update-by barcode')]);
});

it('an undo takes an added identifier back, and sees that somebody has given it', async () => {
  const { planUndo } = await load('client/undo/plan/planUndo.ts');
  const { ItemWrites } = await load('client/storage/ranges.ts');
  const { updated_at, updated_by } = item;
  const created = { item: 7, number: 1, kind: 'created', revision: 1, updated_at, updated_by };
  const active = { field: 'active', from: null, to: true };
  const undo = (fields: readonly object[]) =>
    planUndo({
      selection: { users: [updated_by], from: new Date(0), to: new Date() },
      items: new Map([[7, { ...created, id: 7, active: true, barcode, metadata: {} }]]),
      changes: [{ ...created, fields }],
      catalog: { categories: [], units: [], user: updated_by, permissions: [], limits: {} },
      ...{ made: new ItemWrites(), rejected: new Map(), undone: new ItemWrites() },
    }).report.map(({ field, result }: { field: string; result: string }) => [field, result]);
  expect(undo([active, { field: 'barcode', from: null, to: barcode }])).toEqual([
    ['active', 'put back'],
    ['barcode', 'put back'],
  ]);
  expect(undo([active])).toEqual([['active', 'created, and written since']]);
});

it('operators check the right to find items by an added identifier', async () => {
  const { functionChecks } = await load('admin/smoke/checks.ts');
  const names = functionChecks('token').map(({ name }: { name: string }) => name);
  expect(names).toContain('listItems with the barcode of the item');
});
