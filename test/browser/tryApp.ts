import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page, Route } from 'playwright-core';
import { issueToken } from '../../admin/accounts/accounts.ts';
import { localClientConfig } from '../../cli/localCredentials.ts';
import type { LocalService } from '../../cli/localService.ts';
import { type Client, type Item, type Schemas, unwrap } from '../../client/public/index.ts';
import { en as clientEn } from '../../client/texts/en.ts';
import { pt as clientPt } from '../../client/texts/pt.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';
import { en } from '../../page/texts/en.ts';
import { pt } from '../../page/texts/pt.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { inspectPage } from './inspectPage.ts';

const items = [
  { name: 'Oak desk', sku: 'DESK-4711', value: 499.9 },
  { name: 'Oak table, extendable', sku: 'TAB-2201', value: 1250 },
  { name: 'Bookshelf, five boards', sku: 'SHF-5', value: 210 },
  { name: 'Floor lamp', sku: 'LMP-100', value: 89 },
  { name: 'Office chair', sku: 'CHR-55', value: 329.5 },
  { name: 'Old lamp', sku: 'LMP-1', value: 8, active: false },
  { name: 'Assembly, per hour', type: 'service' as const, value: 65 },
];

/** What the page does with a request: the answer never comes, although the service has done it. */
const lost = async (route: Route) => {
  await route.fetch();
  await route.abort();
};
const expired = (route: Route) => {
  const error = { code: 'UNAUTHORIZED', message: 'The access token is missing or not valid.' };
  return route.fulfill({ status: 401, json: { error } });
};

/** The page as a person uses it, by the labels and names that are seen. */
class App {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  button = (name: string | RegExp) => this.page.getByRole('button', { name, exact: true });
  link = (name: string) => this.page.getByRole('link', { name, exact: true });
  input = (label: string) => this.page.getByLabel(label, { exact: true });
  listed = (text: string) => this.page.locator('#items tbody tr', { hasText: text });
  history = (text: string) => this.page.locator('#history .changes > li', { hasText: text });
  says = (text: string | RegExp) => this.page.getByText(text).first().waitFor({ timeout: 30_000 });

  choose = (text: string) =>
    this.page
      .locator('#sheet')
      .setInputFiles({ name: 'items.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') });

  async signIn(user = 'editor'): Promise<void> {
    await this.button('Sign in').click();
    await this.page.locator('#sign-in').waitFor({ state: 'detached' });
    await this.says(`${user}, demo-1`);
  }

  /** Types over what inputs have, and saves it. */
  async save(texts: Readonly<Record<string, string>>, said: string | RegExp = /^Saved$/): Promise<void> {
    for (const [label, text] of Object.entries(texts)) await this.input(label).fill(text);
    await this.button('Save').click();
    await this.says(said);
  }

  async open(name: string): Promise<void> {
    await this.listed(name).getByRole('link').click();
    while ((await this.input('Name').inputValue()) !== name) await sleep(20);
  }

  /** Waits for a preview with these counts of rows, in their order, and no others. */
  async previews(...counts: readonly string[]): Promise<void> {
    await this.page.locator('#start').waitFor();
    const texts = await this.page.locator('#preview > :not([data-count="0"]) summary, #rejected h3').allInnerTexts();
    assert.deepEqual(
      texts.map((text) => text.replaceAll(/\s+/g, ' ').trim()),
      counts,
    );
  }

  /** Goes on by the Tab key until the element of this name has the focus. */
  async reach(name: string): Promise<void> {
    const focused =
      'document.activeElement.ariaLabel ?? (document.activeElement.labels?.[0] ?? document.activeElement).textContent';
    for (let presses = 0; presses < 300; presses += 1) {
      await this.page.keyboard.press('Tab');
      if ((await this.page.evaluate(focused)) === name) return;
    }
    throw new Error(`The Tab key never reaches ${name}`);
  }

  async press(name: string, key = 'Enter'): Promise<void> {
    await this.reach(name);
    await this.page.keyboard.press(key);
  }

  /** What the next such request of the page meets. Those of other methods, as of the list, are no such ones. */
  next = (method: string, meet: (route: Route) => Promise<void>) => {
    let isDue = true;
    return this.page.route(/\/api\/v1\/api\/v1\/items/, (route) => {
      if (!isDue || route.request().method() !== method) return route.fallback();
      isDue = false;
      return meet(route);
    });
  };
}

/** @param keep is called when the page shows what the pictures in README are of */
export async function tryApp(page: Page, service: LocalService, keep: (name: string) => unknown): Promise<void> {
  const app = new App(page);
  const [editor, colleague] = [clientOf(service), clientOf(service, 'editorWithoutCost')];
  const named = async (search: string): Promise<Item[]> => {
    const query = { search, include_inactive: true };
    return unwrap(await editor.GET('/api/v1/api/v1/items', { params: { query } })).data;
  };
  const write = async (body: Schemas['NewItem']) => unwrap(await editor.POST('/api/v1/api/v1/items', { body })).data.id;

  await inspectPage(page, 'signed out');
  await app.signIn();
  await tryForm(app, named);
  for (const item of items.toReversed()) await write(item);
  await meetColleague(app, colleague, named, keep);
  await loseNothing(app, named);
  await readOnly(await page.context().newPage(), service);
  await importSheet(app, named);
  await updateKnown(app);
  await leaveWithoutPrice(app, named);
  await addCategories(app, service);
  await undoMistake(app);
  const rows = Array.from({ length: 45 }, (_, index) => ({ name: `Row ${index}` }));
  unwrap(await editor.POST('/api/v1/api/v1/items/batch', { body: { rows } }));
  await app.says('50 items, and more');
  await inspectPage(page, 'list');
  await app.button('Show more').click();
  await app.says(/^5\d items$/);
  await app.button('Sign out').click();
  await app.button('Sign in').waitFor();
  const kept = await page.evaluate('Object.keys({ ...sessionStorage, ...localStorage })');
  assert.deepEqual(kept, []);
}

async function tryForm(app: App, named: (name: string) => Promise<Item[]>): Promise<void> {
  await app.button('New item').click();
  // By the mouse, wherever it meets the input: typing begins in an empty text, not beside a default.
  await app.input('Price').click({ position: { x: 12, y: 17 } });
  await app.page.keyboard.type('12,50');
  assert.equal(await app.input('Price').inputValue(), '12,50');
  await app.save({ Name: '', Price: '-1', SKU: 'x'.repeat(46) }, 'This is required.');
  await app.says('It must be at least 0.');
  await app.says('It must have at most 45 characters.');
  assert.equal(await app.page.evaluate('document.activeElement.id'), 'name');
  await inspectPage(app.page, 'field errors');
  await app.input('Type').selectOption('service');
  assert.equal(await app.input('Unit').inputValue(), 'hour');
  await app.input('Unit').selectOption('kg');
  await app.input('Category').selectOption({ label: 'none' });
  await app.input('Active').uncheck();
  await app.input('Price').fill('1.299');
  await app.button('1.299').click();
  assert.equal(await app.input('Price').inputValue(), '1.2990');
  for (const [name, kind, value] of [
    ['color', 'text', 'natural'],
    ['legs', 'number', '4'],
  ] as const) {
    await app.button('Add a custom field').click();
    await app.input('Name of new custom field').fill(name);
    await app.input(`Kind of ${name}`).selectOption(kind);
    await app.input(`Value of ${name}`).fill(value);
  }
  await inspectPage(app.page, 'form');
  const texts = {
    Name: 'Sawing',
    Quantity: '2,5',
    Tax: '1.299,00',
    Cost: '1 299.5',
    SKU: 'SAW',
    'Part number': 'P',
    Tags: 't',
  };
  await app.save({ ...texts, Description: 'By hand' });
  await app.button('Remove legs').click();
  await app.input('Name of color').fill('colour');
  await app.page.keyboard.press('Control+s');
  await app.history('colour: none → natural').waitFor({ timeout: 15_000 });
  const [saved] = await named('Sawing');
  const { id, create_date, updated_at, updated_by, ...values } = saved as Item;
  assert.deepEqual(values, {
    ...{ name: 'Sawing', type: 'service', category: null, category_name: null, value: 1.299, qty: 2.5, unit: 'kg' },
    ...{ description: 'By hand', active: false, cost: 1299.5, tax: 1299, sku: 'SAW', pn: 'P', tag: 't', revision: 2 },
    metadata: { colour: 'natural' },
  });
  await app.button('New item').click();
  assert.equal(await app.listed('Sawing').count(), 0);
  await app.input('Include inactive').check();
  await app.open('Sawing');
  await app.input('Include inactive').uncheck();
}

/** Finds by words what others have created, and saves what a colleague has saved too. */
async function meetColleague(
  app: App,
  colleague: Client,
  named: (name: string) => Promise<Item[]>,
  keep: (name: string) => unknown,
): Promise<void> {
  const search = app.page.locator('#search');
  await search.fill('4711 oak');
  await app.listed('Oak desk').waitFor({ timeout: 15_000 });
  await app.open('Oak desk');
  // What a filter hides is no reason to create it once more.
  await app.input('Products and services').selectOption('Service');
  await app.says('No items found.');
  await app.button('New item').waitFor();
  await app.button('Clear').click();
  const [desk] = await named('Oak desk');
  const params = { path: { id: desk?.id ?? 0 } };
  const body = {
    value: 479.9,
    qty: 2,
    unit: 'set',
    description: 'Solid oak, 160 × 80 cm',
    metadata: { size: [80, 160] },
  };
  unwrap(await colleague.PUT('/api/v1/api/v1/items/{id}', { params, body }));
  await app.input('Price').fill('529');
  await app.page.setViewportSize({ width: 1280, height: 900 });
  await app.page.mouse.move(0, 0);
  await keep('app.png');
  await app.page.setViewportSize({ width: 390, height: 844 });
  await app.page.evaluate('scrollTo(0, 0)');
  await keep('app-phone.png');
  await app.page.setViewportSize({ width: 1100, height: 820 });
  await app.save({ Quantity: '3', Tags: 'new' }, 'Changed by you and by editor-without-cost');
  await app.history('479.90').waitFor({ timeout: 15_000 });
  await inspectPage(app.page, 'conflict');
  await app.button('Keep 529.00').click();
  await app.button('Take 2 set').click();
  await app.save({});
  const [saved] = await named('Oak desk');
  const { value, qty, unit, tag, description, metadata } = saved as Item;
  assert.deepEqual([value, qty, unit, tag, description], [529, 2, 'set', 'new', body.description]);
  assert.deepEqual(metadata, { size: [80, 160] });
  assert.equal(await app.input('Kind of size').inputValue(), 'JSON');
  await app.save({ SKU: 'SHF-5' }, 'Item Bookshelf, five boards has it already.');
  await app.page.locator('#form').getByRole('link', { name: 'Bookshelf, five boards' }).waitFor();
  await app.input('SKU').fill('DESK-4711');
  // Whoever closes an item goes on where they were in the list, and finds later what others have changed since.
  unwrap(await colleague.PUT('/api/v1/api/v1/items/{id}', { params, body: { tag: 'newer' } }));
  await app.page.keyboard.press('Escape');
  await app.page.locator('#items :focus', { hasText: 'Oak desk' }).waitFor();
  await app.open('Oak desk');
  assert.equal(await app.input('Tags').inputValue(), 'newer');
}

/** An answer that is lost, what is not saved yet, and a token that expires. */
async function loseNothing(app: App, named: (name: string) => Promise<Item[]>): Promise<void> {
  const { page } = app;
  await app.button('New item').click();
  await app.next('POST', lost);
  await app.save({ Name: 'Lost' }, 'There was no answer. Try again.');
  await app.save({ Name: 'Lost and found' }, 'so it may exist. Is this a different item?');
  await app.button('The same item').click();
  await app.says(/^Saved$/);
  assert.deepEqual(
    (await named('Lost')).map(({ name }) => name),
    ['Lost and found'],
  );

  await app.open('Office chair');
  await app.input('Tags').fill('given up');
  await app.says('Not saved yet');
  page.once('dialog', (dialog) => dialog.accept());
  for (const place of ['Import', 'Items']) await app.link(place).click(); // asked once
  await app.open('Office chair');
  await app.input('Tags').fill('kept');
  const asked = page.waitForEvent('dialog');
  const clicked = app.listed('Floor lamp').getByRole('link').click();
  await (await asked).dismiss();
  await clicked;
  await app.next('PUT', expired);
  await app.button('Save').click();
  await app.button('Sign in').waitFor();
  await app.signIn();
  assert.equal(await app.input('Tags').inputValue(), 'kept');
  assert.equal(await page.locator('#form [role=alert]').textContent(), '');
  await app.save({});
  const [chair] = await named('Office chair');
  assert.deepEqual([chair?.tag, chair?.revision], ['kept', 2]);
}

/** Whoever may only read sees the items, wherever a link leads, and no input but the search. */
async function readOnly(page: Page, { url, tokens }: LocalService): Promise<void> {
  const reader = new App(page);
  await page.goto(`${url}/app#/import`);
  await reader.input('Access token').fill(tokens.reader);
  await reader.signIn('reader');
  await reader.listed('Oak desk').getByRole('link').click();
  await page.getByRole('row', { name: 'Price 529.00' }).waitFor();
  assert.equal(await page.title(), 'Oak desk · Catalog');
  assert.equal(await page.locator('#form input, #form button[type=submit]').count(), 0);
  await page.setViewportSize({ width: 390, height: 820 });
  const before = await page.evaluate('getComputedStyle(document.querySelector("#form td"), "::before").content');
  assert.equal(before, 'none');
  await inspectPage(page, 'reader');
  await page.close();
}

async function importSheet(app: App, named: (name: string) => Promise<Item[]>): Promise<void> {
  const { choose } = app;
  await app.link('Import').click();
  const shelves = async () => (await named('Shelf')).map(({ value, active }) => (active ? value : null));
  await choose('Product name;Regular price;Shop\nShelf A;1,50;x\nShelf B;3 EUR;x\n;4;x\n');
  assert.equal(await app.input('Regular price is').inputValue(), 'value');
  await app.input('Shop is').selectOption('custom field Shop');
  await inspectPage(app.page, 'import’s columns');
  await app.button('Use these columns').click();
  await app.previews('1 New', '2 Rejected');
  assert.deepEqual(await shelves(), []);
  await app.button('Import 1 row').click();
  await app.says('1 item created, 0 updated, 0 already imported, 2 rejected.');
  await inspectPage(app.page, 'rejects');
  await app.page.locator('#rejects').getByLabel('Regular price').first().fill('3');
  await app.button('Preview again').click();
  await app.previews('1 New', '1 Rejected');
  await app.button('Import 1 row').click();
  await app.says('1 item created, 0 updated, 0 already imported, 1 rejected.');
  assert.deepEqual(await shelves(), [1.5, 3]);
  await choose('name;value\nStra\xdfe;1\n');
  await app.says('The file is not UTF-8');
  assert.equal(await app.page.locator('#rejects, #again').count(), 0);
  await app.button('Straße;1').click();
  await app.previews('1 New');
  await choose('Product name;Regular price;Shop\nShelf C;2;x\nShelf D;2;x\n');
  await app.previews('2 New');
  await app.next('POST', lost);
  await app.button('Import 2 rows').click();
  await app.says('0 items created, 0 updated, 2 already imported, 0 rejected.');
  assert.deepEqual(await shelves(), [1.5, 3, 2, 2]);
  await app.page.route(/\/changes/, lost);
  await app.button('Undo this import').click();
  await app.button('Preview').waitFor();
  await app.page.unrouteAll({ behavior: 'ignoreErrors' });
  await app.button('Preview').click();
  await app.says('2 new items become inactive.');
  await app.next('POST', lost);
  await app.button('Undo').click();
  await app.says('2 updates made, 0 fields left to you.');
  assert.deepEqual(await shelves(), [1.5, 3, null, null]);
}

/** Rows of items that are there can update them, if the user wants that, and make inactive ones active. */
async function updateKnown(app: App): Promise<void> {
  await app.link('Import').click();
  await app.choose('name;sku;value;unit\nPalm;;9;pot\nFloor lamp;LMP-100;90;un\nOld lamp;LMP-1;9;un\n');
  await app.previews('3 Rejected');
  await app.says(/Unit: There is no such unit. Choose one of .*un/);
  await app.says('1 row has the SKU of an inactive item.');
  await app.button('Activate and update this item').click();
  await app.previews('1 To change', '2 Rejected');
  await app.page.getByText('To change').click();
  await app.page.getByRole('row', { name: 'Active no yes' }).waitFor();
  await inspectPage(app.page, 'import’s changes');
  await app.choose('name;sku;value\nOak desk;DESK-4711;529\nFloor lamp;LMP-100;90\n');
  await app.previews('2 Rejected');
  await app.button('Update these items').click();
  await app.previews('1 To change', '1 Unchanged');
  await app.input('Existing items').selectOption({ index: 0 });
  await app.previews('2 Rejected');
  await app.link('Items').click();
  const downloading = app.page.waitForEvent('download');
  await app.button('Export').click();
  assert.match(await readFile(await (await downloading).path(), 'utf8'), /"Oak desk"/);
}

/** New items without a price are left out by a choice, which can be taken back. */
async function leaveWithoutPrice(app: App, named: (name: string) => Promise<Item[]>): Promise<void> {
  await app.link('Import').click();
  await app.choose('name;value\nChairs, all kinds;\nChair E;4\n');
  await app.previews('2 New');
  await app.says('1 new item has no price and would get 0, such as line 2.');
  const leave = app.input('Leave out new items without a price');
  await leave.check();
  await app.previews('1 New', '1 Rejected');
  await leave.uncheck();
  await app.previews('2 New');
  await leave.check();
  await app.button('Import 1 row').click();
  await app.says('1 item created, 0 updated, 0 already imported, 1 rejected.');
  assert.deepEqual(await named('Chairs, all kinds'), []);
}

/** Whoever may configure adds the categories of a file that the account lacks, which the whole page then has. */
async function addCategories({ page, choose, button }: App, service: LocalService): Promise<void> {
  const text = 'name;value;category\nSofa F;900;Sofas\nLamp F;9;Lamps\n';
  const add = 'Add these categories (an undo leaves them)';
  await choose(text);
  await page.locator('#rejected').waitFor();
  assert.equal(await button(add).count(), 0);
  const now = Date.now();
  const session = openDatabase({ ...service, ...localClientConfig() }).for(timedContext(now + 10_000));
  const expiresAt = Math.floor(now / 1_000) + 600;
  const permissions = ['catalog:edit', 'catalog:admin'] as const;
  const { token } = await issueToken(session, { account: 'demo-1', user: 'owner', permissions, expiresAt }, now);
  const owner = new App(await page.context().newPage());
  await owner.page.goto(`${service.url}/app`);
  await owner.input('Access token').fill(token);
  await owner.signIn('owner');
  await owner.link('Import').click();
  await owner.choose(text);
  await owner.previews('2 Rejected');
  await inspectPage(owner.page, 'missing categories');
  await owner.button(add).click();
  await owner.button(add).waitFor({ state: 'detached' });
  await owner.previews('2 New');
  await owner.link('Items').click();
  await owner.input('All categories').selectOption('Sofas');
  await owner.page.close();
  await choose('name\n');
}

async function undoMistake(app: App): Promise<void> {
  await app.link('Items').click();
  await app.open('Oak desk');
  // Not in the second of a change before, nor undone in its own.
  await sleep(1_100);
  await app.save({ Price: '5' });
  await sleep(1_100);
  await app.history('529.00 → 5.00').getByRole('button').click();
  await app.says('Price goes back in 1 item.');
  await app.page.getByText('Each field').click();
  await inspectPage(app.page, 'undo’s preview');
  await app.button('Undo').click();
  await app.says('1 update made, 0 fields left to you.');
  // The history of all items has the same change, beside the imports.
  const place = app.page.locator('main:visible');
  await place.getByText('items.csv').first().waitFor();
  const changed = place.locator('.changes > li', { hasText: '5.00 → 529.00' });
  await changed.getByRole('link', { name: 'Oak desk' }).first().waitFor({ timeout: 15_000 });
  await place.getByText(/^Since /).waitFor();
  await inspectPage(app.page, 'history');
  await changed.getByRole('button', { name: 'Undo what editor did since' }).click();
  await app.page.getByText('What editor has changed since').waitFor();
  await app.link('Items').click();
  await app.open('Oak desk');
  await app.history('5.00 → 529.00').waitFor({ timeout: 15_000 });
}

/**
 * Creates an item, decides a conflict and brings in a shop's file by the keyboard alone, on a phone, as somebody who reads
 * only Portuguese. Nothing of the page is in English.
 */
export async function tryPortuguese(page: Page, service: LocalService): Promise<void> {
  const app = new App(page);
  const colleague = clientOf(service, 'editorWithoutCost');
  const { keyboard } = page;
  await app.reach('Token de acesso');
  await keyboard.press('Enter');
  await app.says('editor, demo-1');
  await app.press('Novo item');
  // Until then, the Tab key goes on from the button, to the heading of the list that is also called "Nome".
  await page.locator('#title:focus').waitFor();
  for (const [label, text] of Object.entries({ Nome: 'Mesa', Preço: '499,90', SKU: 'M-1' })) {
    await app.reach(label);
    await keyboard.type(text);
  }
  await app.press('Salvar');
  await app.says(/^Salvo$/);
  assert.equal(await app.input('Preço').inputValue(), '499,90');
  const id = Number(/\d+$/.exec(page.url())?.[0]);
  unwrap(await colleague.PUT('/api/v1/api/v1/items/{id}', { params: { path: { id } }, body: { value: 480 } }));
  await app.reach('Preço');
  await keyboard.type('515');
  await app.press('Salvar');
  await app.reach('Manter 515,00');
  await expectOnlyPortuguese(page);
  await keyboard.press('Enter');
  await app.press('Salvar');
  await app.says(/^Salvo$/);
  await app.history('480,00 → 515,00').waitFor({ timeout: 15_000 });
  await expectOnlyPortuguese(page);
  await app.press('Importar');
  const chosen = page.waitForEvent('filechooser');
  await app.press('Solte aqui um arquivo CSV ou Excel, ou escolha um');
  const text = 'Produto;Preço de venda;Código;Obs\nMesa;549,90;M-1;x\nCadeira;1.329,50;C-1;y\n;1,00;Z-1;z\n';
  await (await chosen).setFiles({ name: 'loja.csv', mimeType: 'text/csv', buffer: Buffer.from(text) });
  for (const [column, target] of Object.entries({ 'Preço de venda': 'Preço', Código: 'SKU' })) {
    await app.reach(`${column} é`);
    await keyboard.type(target);
  }
  await expectOnlyPortuguese(page);
  await app.press('Usar estas colunas');
  await app.previews('1 Novos', '2 Rejeitadas');
  // What is left out has nothing to fix.
  assert.equal(await page.locator('#rejects').getByLabel('Obs').count(), 0);
  await app.reach('Itens existentes');
  await keyboard.type('Encontrar itens existentes pelo S');
  await app.previews('1 Novos', '1 A alterar', '1 Rejeitadas');
  await inspectPage(page, 'Portuguese');
  await expectOnlyPortuguese(page);
  await app.press('Importar 2 linhas');
  await app.says('1 item criado, 1 alterado, 0 já importados, 1 rejeitada.');
  await expectOnlyPortuguese(page);
}

/** Of the page's and the package's English texts, none is seen. */
async function expectOnlyPortuguese(page: Page): Promise<void> {
  const all = ({ name: _, steps, columns, counts, report, fields, ...others }: typeof en) => ({
    ...{ ...others, ...steps, ...columns, ...counts, ...report, ...fields },
  });
  const portuguese = { ...clientPt, ...all(pt) };
  const english = Object.entries({ ...clientEn, ...all(en) }).filter(
    ([key, text]) => typeof text === 'string' && text.length > 5 && text !== portuguese[key as 'title'],
  );
  const seen = await page.evaluate<string>('document.body.innerText');
  const templates = english.map(([, text]) => String(text).split(/ ?\{/)[0] ?? '').filter((text) => text.length > 5);
  assert.deepEqual(
    templates.filter((text) =>
      new RegExp(`(?<!\\p{L})${text.replaceAll(/[.?()]/g, '\\$&')}(?!\\p{L})`, 'u').test(seen),
    ),
    [],
  );
}

/** Puts each text, also a later one, into an element of its own, as browsers do that translate a page. */
const translate = `
  const wrap = (node) => {
    if (node.nodeType !== Node.TEXT_NODE) return void node.childNodes.forEach(wrap);
    const { parentElement, data } = node;
    if (parentElement === null || data.trim() === '' || parentElement.closest('font, option, textarea')) return;
    const font = document.createElement('font');
    node.replaceWith(font);
    font.append(data);
  };
  const observer = new MutationObserver((changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach(wrap)));
  observer.observe(document.body, { childList: true, subtree: true });
  wrap(document.body);`;

/** While the browser translates the page, it shows what is current. */
export async function tryTranslated(page: Page): Promise<void> {
  const app = new App(page);
  await app.signIn();
  await page.evaluate(translate);
  await app.button('New item').click();
  await app.save({ Name: 'Before' });
  await app.listed('Before').waitFor();
  await app.save({ Name: 'Afterwards' });
  await app.listed('Afterwards').waitFor();
  await app.link('Import').click();
  await app.choose('name,value\nOne,x\nTwo,y\n');
  await app.previews('2 Rejected');
  await page.locator('#rejects').getByLabel('value').first().fill('5');
  await app.button('Preview again').click();
  await page.locator('#rejected h3', { hasText: '1 Rejected' }).waitFor();
}

/** Where cookies are blocked, so that the browser keeps nothing of a page, it works for as long as it is open. */
export async function tryWithoutStorage(page: Page): Promise<void> {
  const app = new App(page);
  await page.addInitScript(`
    const get = () => {
      throw new DOMException('Access is denied.', 'SecurityError');
    };
    for (const name of ['localStorage', 'sessionStorage']) Object.defineProperty(globalThis, name, { get });`);
  await page.reload();
  await app.signIn();
  await app.button('New item').click();
  await app.save({ Name: 'Not kept' });
  await app.link('History').click();
  await app.says('Your last imports');
  await app.input('Language').selectOption('pt');
  await app.button('Sair').click();
  await page.locator('#sign-in').waitFor();
}

/** Without scripts, the page says what it needs. */
export async function readWithoutScripts(context: BrowserContext, url: string): Promise<void> {
  const page = await context.newPage();
  await page.goto(`${url}/app`);
  await page.locator('noscript p', { hasText: 'This page needs JavaScript' }).waitFor();
}
