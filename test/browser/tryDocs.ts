/**
 * Opens the page `/docs` of the local service in a headless browser and uses it as a person does: creates an item, reads
 * and changes it, sees a refused update with its fields, and looks up an error's headers. Nothing may be asked of another
 * host.
 */

import assert from 'node:assert/strict';
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram } from '../../cli/findProgram.ts';
import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { variables } from '../../lib/runtime/environment.ts';
import { startService } from '../../local/startService.ts';

const browsers = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

interface Answer {
  readonly status: number;
  readonly body: { data?: { id: number; name: string }; error?: { code: string; fields?: { field: string }[] } };
}

/** Opens an operation, fills in its parameters and its body, executes it, and reads what the page shows as its answer. */
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

async function useDocs(page: Page): Promise<void> {
  const created = await tryOperation(page, 'createItem', {}, { name: 'Oak desk', value: 499.9 });
  assert.equal(created.status, 201);
  const id = String(created.body.data?.id);
  const read = await tryOperation(page, 'getItem', { id });
  assert.deepEqual([read.status, read.body.data?.name], [200, 'Oak desk']);
  const updated = await tryOperation(page, 'updateItem', { id }, { name: 'Oak table' });
  assert.deepEqual([updated.status, updated.body.data?.name], [200, 'Oak table']);
  const refused = await tryOperation(page, 'updateItem', { id }, { name: ' ', cost: -1 });
  assert.deepEqual([refused.status, refused.body.error?.code], [422, 'VALIDATION_FAILED']);
  assert.deepEqual(
    refused.body.error?.fields?.map(({ field }) => field),
    ['name', 'cost'],
  );
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

/** Fails if the page asks another host for anything, or if the browser reports an error. */
async function tryPage(browser: Browser, url: string, screenshot: string | undefined): Promise<void> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 1100 } });
  const unexpected: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) unexpected.push(request.url());
  });
  page.on('pageerror', (error) => unexpected.push(error.message));
  page.on('console', (message) => {
    // Chromium reports the refused request too.
    if (message.type() === 'error' && !message.text().includes('status of 422')) unexpected.push(message.text());
  });
  await page.goto(`${url}/docs`);
  await useDocs(page);
  await unfoldError(page);
  assert.deepEqual(unexpected, []);
  if (screenshot !== undefined) await page.screenshot({ path: screenshot });
}

async function tryDocs(screenshot: string | undefined): Promise<void> {
  const executablePath = browsers.map(findProgram).find((found) => found !== undefined);
  if (executablePath === undefined) throw new CommandError(`None of ${browsers.join(', ')} is on the PATH.`);
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const service = await startService({ port: 0 });
  try {
    const browser = await chromium.launch({ executablePath });
    await tryPage(browser, service.url, screenshot).finally(() => browser.close());
  } finally {
    await service.close();
  }
  console.log('The page creates, reads and updates an item, and shows why an update is refused.');
}

const program = createProgram(
  'npm run nightly -- try-docs',
  `Uses the page /docs of the local service in a headless browser: ${browsers.join(', ')}, whichever is first found on the PATH.`,
);
program
  .option('--screenshot <file>', 'keep what the page looks like in the end')
  .action(({ screenshot }) => tryDocs(screenshot));
await runCommand(program);
