/**
 * Opens the page `/docs` of the local service in a headless browser and uses it as a person does: creates an item, reads
 * and changes it, and sees a refused update with its fields. Nothing may be asked of another host.
 */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { readOptions } from '../../infra/cli/arguments.ts';
import { setLocalCredentials } from '../../infra/cli/localCredentials.ts';
import { runCommand } from '../../infra/cli/runCommand.ts';
import { startService } from '../../infra/local/startService.ts';
import { variables } from '../../lib/runtime/environment.ts';
import type { BrowserPage } from './browser.ts';
import { openPage } from './browser.ts';

const help = `Uses the page /docs of the local service in a headless browser, which must be on the PATH.

  npm run try-docs -- [options]

  --screenshot FILE   keep what the page looks like in the end
  --help              show this`;

/** Of the page, in milliseconds. */
const patience = 15_000;

interface Answer {
  readonly status: number;
  readonly body: { data?: { id: number; name: string }; error?: { code: string; fields?: { field: string }[] } };
}

/** Waits until an expression in the page is neither null, undefined, false nor an empty text, and returns it. */
async function wait<T>(page: BrowserPage, expression: string): Promise<T> {
  const end = Date.now() + patience;
  for (;;) {
    const value = await page.evaluate<T | null | undefined | false | ''>(expression);
    if (value !== null && value !== undefined && value !== false && value !== '') return value;
    if (Date.now() > end) throw new Error(`The page never came to ${expression}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Opens an operation, fills in its parameters and its body, executes it, and reads what the page shows as its answer. */
async function tryOperation(
  page: BrowserPage,
  operation: string,
  parameters: Readonly<Record<string, string>>,
  body?: object,
): Promise<Answer> {
  const block = `document.querySelector('#operations-Items-${operation}')`;
  await wait(page, `${block} && true`);
  await page.evaluate(`{ if (!${block}.querySelector('.opblock-body')) ${block}.querySelector('button').click(); }`);
  await wait(page, `${block}.querySelector('.execute') && true`);
  const fill = async (selector: string, text: string) => {
    await wait(page, `${block}.querySelector(${JSON.stringify(selector)}) && true`);
    await page.evaluate(
      `{ const input = ${block}.querySelector(${JSON.stringify(selector)}); input.focus(); input.select(); }`,
    );
    await page.type(text);
  };
  for (const [name, value] of Object.entries(parameters)) await fill(`[data-param-name="${name}"] input`, value);
  if (body !== undefined) await fill('.body-param__text', JSON.stringify(body));
  await page.evaluate(`${block}.querySelector('.btn-clear')?.click()`);
  await page.evaluate(`${block}.querySelector('.execute').click()`);
  const live = `${block}.querySelector('.live-responses-table')`;
  const status = await wait<string>(
    page,
    `${live}?.querySelector('.response .response-col_status')?.textContent.trim()`,
  );
  const text = await wait<string>(
    page,
    `${live}.querySelector('.response-col_description .highlight-code code')?.textContent`,
  );
  await page.evaluate(`${live}.scrollIntoView({ block: 'end' })`);
  return { status: Number.parseInt(status, 10), body: JSON.parse(text) };
}

async function useDocs(page: BrowserPage): Promise<void> {
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

async function tryDocs(screenshot: string | undefined): Promise<void> {
  setLocalCredentials();
  process.env[variables.logLevel] = 'ERROR';
  const service = await startService({ port: 0 });
  try {
    const page = await openPage(`${service.url}/docs`);
    try {
      await useDocs(page);
      const elsewhere = page.requested.filter((url) => !url.startsWith(service.url) && !url.startsWith('data:'));
      assert.deepEqual(elsewhere, []);
      // Chromium reports the refused request too.
      assert.deepEqual(
        page.complaints.filter((text) => !text.includes('status of 422')),
        [],
      );
      if (screenshot !== undefined) writeFileSync(screenshot, await page.screenshot());
    } finally {
      await page.close();
    }
  } finally {
    await service.close();
  }
  console.log('The page creates, reads and updates an item, and shows why an update is refused.');
}

await runCommand(async (args) => {
  const { screenshot, help: helpWanted } = readOptions(args, {
    screenshot: { type: 'string' },
    help: { type: 'boolean' },
  });
  if (helpWanted === true) console.log(help);
  else await tryDocs(screenshot);
  return 0;
});
