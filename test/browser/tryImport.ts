/**
 * Imports sheets on the page /app of a service that runs as its own process, as a user with bad luck: 5,000 rows with ten
 * kinds of broken ones, while the tab is closed five times and the service killed twice. Every row is compared with the
 * items.
 */

import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BrowserContext, Page } from 'playwright-core';
import { createProgram, runCommand } from '../../cli/program.ts';
import { type Client, type Item, unwrap } from '../../client/public/index.ts';
import { clientOf } from '../support/client/clientOf.ts';
import { allItems, startOwnService, stop } from '../support/programs/ownService.ts';
import { launchBrowser } from './launchBrowser.ts';

const count = 5_000;
const port = '3917';
const folder = mkdtempSync(join(tmpdir(), 'catalog-import-'));

/** Each breaks a row in another way. */
const broken = [
  (id: number) => `,S${id},1,,`,
  (id: number) => `${'x'.repeat(151)},S${id},1,,`,
  (id: number) => `Broken ${id},${'x'.repeat(46)},1,,`,
  (id: number) => `Broken ${id},TAKEN,1,,`,
  (id: number) => `Broken ${id},S${id},-1,,`,
  (id: number) => `Broken ${id},S${id},1.2.3,,`,
  (id: number) => `Broken ${id},S${id},1e400,,`,
  (id: number) => `Broken ${id},S${id},1,none,`,
  (id: number) => `Broken ${id},S${id},1,,${'x'.repeat(2_001)}`,
  (id: number) => `Broken ${id},S${id},1,,,more,cells`,
];
const ids = Array.from({ length: count }, (_, id) => id);
const isBroken = (id: number) => id % 50 === 49;
const lineOf = (id: number) =>
  isBroken(id) ? broken[((id - 49) / 50) % broken.length]?.(id) : `"Item ""${id}""",S${id},${id},,'=${id}`;
const csv = (lines: readonly unknown[]) => ({
  ...{ name: 'items.csv', mimeType: 'text/csv' },
  buffer: Buffer.from(`name,sku,value,unit,metadata.formula\n${lines.join('\n')}\n`),
});

/** Opens the page, signs in, chooses a sheet, and imports it once it was looked at. */
async function openSheet(context: BrowserContext, url: string, sheet: ReturnType<typeof csv>): Promise<Page> {
  const page = await context.newPage();
  page.on('pageerror', (error) => console.error(error));
  await page.goto(`${url}/app#/import`);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('#sheet').setInputFiles(sheet);
  // Looking at the rows takes a while.
  await page.locator('#start').click({ timeout: 120_000 });
  return page;
}

/** Waits until so many rows are decided, as the page shows it. */
async function untilDecided(page: Page, rows: number): Promise<void> {
  const bar = page.locator('progress');
  while ((await bar.evaluate((shown) => (shown as unknown as { value: number }).value)) < rows) await sleep(50);
}

const shown = ({ name, sku, value, metadata }: Item) => JSON.stringify([name, sku, value, metadata['formula']]);

/** Every row that is not broken is there once, and nothing else. */
async function compare(client: Client): Promise<void> {
  const found = (await allItems(client)).filter(({ sku }) => sku !== 'TAKEN').map(shown);
  const due = ids.filter((id) => !isBroken(id)).map((id) => JSON.stringify([`Item "${id}"`, `S${id}`, id, `=${id}`]));
  assert.deepEqual(found.sort(), due.sort());
}

async function importWithBadLuck(context: BrowserContext, client: Client, url: string, kill: () => Promise<void>) {
  unwrap(await client.POST('/api/v1/api/v1/items', { body: { name: 'Holder', sku: 'TAKEN' } }));
  const sheet = csv(ids.map(lineOf));
  for (let closed = 0; closed < 5; closed += 1) {
    const page = await openSheet(context, url, sheet);
    const before = closed * 800;
    await untilDecided(page, before + Math.random() * 700);
    if (closed === 1 || closed === 3) await kill();
    await sleep(Math.random() * 500);
    await page.close();
  }
  const page = await openSheet(context, url, sheet);
  const readable = ids.filter((id) => !isBroken(id) || ![5, 9].includes(((id - 49) / 50) % broken.length)).length;
  await untilDecided(page, readable);
  await page.getByText('already imported, 100 rejected').waitFor();
  await compare(client);
  console.log(
    `${count} rows with ${broken.length} kinds of broken ones: each is there once, after 5 closed tabs and 2 kills.`,
  );
  return page;
}

/** All rejected rows can be downloaded, with why. */
async function downloadRejected(page: Page): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download rejected rows' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8').split('\r\n');
  assert.deepEqual([lines.length, lines[0]?.includes('reject_reason')], [102, true]);
}

/** Reads and sends a sheet, while the browser notes each time for which the page is busy for more than 50 ms. */
async function stayResponsive(context: BrowserContext, url: string): Promise<void> {
  await context.addInitScript(
    'window.busy = []; new PerformanceObserver((list) => window.busy.push(...list.getEntries().map((one) => one.duration))).observe({ type: "longtask" });',
  );
  const page = await openSheet(context, url, csv(ids.map((id) => `"Busy ${id}",B${id},${id},,`)));
  await page.evaluate('window.busy = []');
  await untilDecided(page, 200);
  assert.deepEqual(await page.evaluate('window.busy'), []);
  await page.evaluate(
    'void setTimeout(() => { for (const end = performance.now() + 100; performance.now() < end; ); })',
  );
  await sleep(500);
  assert.equal(await page.evaluate('window.busy.length'), 1);
  await page.close();
  console.log(`The page was never busy for more than 50 ms with ${count} rows.`);
}

async function tryImport(): Promise<void> {
  let { child, service } = await startOwnService(folder, port);
  const browser = await launchBrowser();
  const { url } = service;
  const client = clientOf(service);
  const kill = async () => {
    await stop(child, 'SIGKILL');
    ({ child, service } = await startOwnService(folder, port));
  };
  try {
    const context = await browser.newContext();
    const page = await importWithBadLuck(context, client, url, kill);
    await downloadRejected(page);
    await page.close();
    await stayResponsive(context, url);
  } finally {
    await browser.close();
    await stop(child, 'SIGTERM');
    rmSync(folder, { recursive: true, force: true });
  }
}

await runCommand(
  createProgram(
    'npm run nightly -- try-import',
    'Imports 5,000 rows on the page /app in Chromium, while the tab is closed and the service killed.',
  ).action(tryImport),
);
