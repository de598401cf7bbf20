/**
 * Opens the pages of the local service in a headless browser and uses them as a person does. On `/docs`: creates an item,
 * reads and changes it, sees a refused update with its fields, and looks up an error's headers. On `/app`: what
 * {@link tryApp} does. Nothing may be asked of another host.
 */

import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/program.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';
import { browsers, launchBrowser } from './launchBrowser.ts';
import { readWithoutScripts, tryApp, tryPortuguese, tryTranslated, tryWithoutStorage } from './tryApp.ts';

interface Answer {
  readonly status: number;
  readonly body: { data?: { id: number; name: string }; error?: { code: string; fields?: { field: string }[] } };
}

/** Opens an operation, fills in its parameters and body, executes it, and reads what the page shows as its response. */
async function tryOperation(
  page: Page,
  operation: string,
  parameters: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  const block = page.locator(`#operations-Items-${operation}`);
  await block.waitFor();
  const isOpen = (await block.locator('.opblock-body').count()) > 0;
  if (!isOpen) await block.getByRole('button').first().click();
  for (const [name, value] of Object.entries(parameters))
    await block.locator(`[data-param-name="${name}"] input`).fill(value);
  if (body !== undefined) await block.locator('.body-param__text').fill(JSON.stringify(body));
  if (isOpen) await block.getByRole('button', { name: 'Clear' }).click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const response = block.locator('.live-responses-table .response').first();
  const status = await response.locator('.response-col_status').textContent();
  const text = await response.locator('.highlight-code code').first().textContent();
  await response.scrollIntoViewIfNeeded();
  return { status: Number.parseInt(status ?? '', 10), body: JSON.parse(text ?? '') };
}

async function tryDocs(page: Page): Promise<void> {
  const created = await tryOperation(page, 'createItem', {}, { name: 'Oak desk', value: 499.9 });
  assert.equal(created.status, 201);
  const id = String(created.body.data?.id);
  const read = await tryOperation(page, 'getItem', { id });
  assert.deepEqual([read.status, read.body.data?.name], [200, 'Oak desk']);
  const updated = await tryOperation(page, 'updateItem', { id }, { name: 'Oak table' });
  assert.deepEqual([updated.status, updated.body.data?.name], [200, 'Oak table']);
  const refused = await tryOperation(page, 'updateItem', { id }, { name: ' ', cost: -1 });
  assert.deepEqual([refused.status, refused.body.error?.code], [422, 'VALIDATION_FAILED']);
  const fields = refused.body.error?.fields?.map(({ field }) => field);
  assert.deepEqual(fields, ['name', 'cost']);
}

/** Only the success shows its headers, until those of an error are asked for. */
async function unfoldError(page: Page): Promise<void> {
  const responses = page.locator('#operations-Items-getItem .responses-table:not(.live-responses-table)');
  const headers = responses.locator('.headers-wrapper');
  assert.equal(await headers.count(), 1);
  await responses.locator('button.btn').first().click();
  await headers.nth(1).waitFor();
  assert.equal(await headers.count(), 2);
}

/** Fails if a page asks another host for anything, breaks its own policy, or has an error of its own. */
async function tryPage(
  browser: Browser,
  url: string,
  use: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1100, height: 820 }, ...options });
  const page = await context.newPage();
  const unexpected: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(new URL(url).origin) && !request.url().startsWith('data:'))
      unexpected.push(request.url());
  });
  page.on('pageerror', (error) => unexpected.push(error.message));
  page.on('console', (message) => {
    // Chromium reports refused requests too.
    if (message.type() === 'error' && !/status of 4\d\d|net::ERR_FAILED/.test(message.text()))
      unexpected.push(message.text());
  });
  await page.goto(url);
  await use(page);
  assert.deepEqual(unexpected, []);
}

async function tryPages(screenshots: string | undefined): Promise<void> {
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const browser = await launchBrowser();
  const service = await startService({ port: 0 });
  const keep = (page: Page, name: string) =>
    screenshots === undefined ? undefined : page.screenshot({ path: join(screenshots, name) });
  try {
    await tryPage(browser, `${service.url}/app`, (page) => tryApp(page, service, (name) => keep(page, name)));
    const phone = { locale: 'pt-BR', viewport: { width: 390, height: 844 } };
    await tryPage(browser, `${service.url}/app`, (page) => tryPortuguese(page, service), phone);
    await tryPage(browser, `${service.url}/app`, tryTranslated);
    await tryPage(browser, `${service.url}/app`, tryWithoutStorage);
    await readWithoutScripts(await browser.newContext({ javaScriptEnabled: false }), service.url);
    console.log(
      '/app loses nothing that is typed, imports and undoes, also in Portuguese. Axe finds nothing, also on a phone and in the dark.',
    );
    await tryPage(browser, `${service.url}/docs`, async (page) => {
      await page.locator('#operations-Items-createItem').waitFor();
      await keep(page, 'docs-page.png');
      await tryDocs(page);
      await unfoldError(page);
    });
    console.log('/docs creates, reads and updates an item, and shows why an update is refused.');
  } finally {
    await browser.close();
    await service.close();
  }
}

const program = createProgram(
  'npm run nightly -- try-pages',
  `Uses the pages /docs and /app of the local service in a headless browser: ${browsers.join(', ')}, whichever is first found on the PATH.`,
);
program
  .option('--screenshots <folder>', 'keep there what the pages look like')
  .action(({ screenshots }) => tryPages(screenshots));
await runCommand(program);
