import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { LocalService } from '../../cli/localService.ts';

const items = [
  { name: 'Oak desk', sku: 'DESK-4711', value: 499.9 },
  { name: 'Oak table, extendable', sku: 'TAB-2201', value: 1250 },
  { name: 'Bookshelf, five boards', sku: 'SHF-5', value: 210 },
  { name: 'Floor lamp', sku: 'LMP-100', value: 89 },
  { name: 'Office chair', sku: 'CHR-55', value: 329.5 },
  { name: 'Assembly, per hour', type: 'service', value: 65 },
];

/**
 * Signs in with the token that the page is given, creates an item and sees one refused, finds by words what others have
 * created since, saves what somebody else has saved too, sees who changed what, and undoes it.
 * @param onConflict is called when the page shows a conflict
 */
export async function useApp(page: Page, service: LocalService, onConflict: () => unknown): Promise<void> {
  const { editor, editorWithoutCost } = service.tokens;
  const send = async (method: string, path: string, token: string, body: object) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const url = `${service.url}/api/v1/api/v1/items${path}`;
    const response = await fetch(url, { method, headers, body: JSON.stringify(body) });
    assert.ok(response.ok);
    return ((await response.json()) as { data: { id: number } }).data.id;
  };
  const button = (name: string) => page.getByRole('button', { name });
  const listed = page.locator('#items li');
  const history = page.locator('#history li');

  await button('Sign in').click();
  await page.getByText('editor, demo-1').waitFor();
  await page.getByLabel('Name').fill('Standing desk');
  await page.getByLabel('Price').fill('-1');
  await button('Save').click();
  await page.getByText(/must be a number from 0/).waitFor();
  await page.getByLabel('Price').fill('649');
  await button('Save').click();
  await page.getByRole('heading', { name: /Item \d/ }).waitFor();

  for (const item of items.toReversed()) await send('POST', '', editor, item);
  await page.getByLabel('Search').fill('4711 oak');
  await listed.filter({ hasText: 'Oak desk' }).waitFor({ timeout: 15_000 });
  assert.equal(await listed.count(), 1);

  await button('Oak desk').click();
  const heading = page.getByRole('heading', { name: /Item \d/ });
  await page.locator('#items [aria-current="true"]', { hasText: 'Oak desk' }).waitFor();
  const id = Number((await heading.textContent())?.slice('Item '.length));
  await page.getByLabel('Price').fill('529');
  await send('PUT', `/${id}`, editorWithoutCost, { value: 479.9, description: 'Solid oak, 160 × 80 cm' });
  await button('Save').click();
  await page.getByText('editor-without-cost has saved this item too').waitFor();
  await page.getByText('Saved: 479.9').waitFor();
  await page.getByLabel('Search').fill('');
  await history.filter({ hasText: 'value: 499.9 → 479.9' }).waitFor({ timeout: 15_000 });
  await onConflict();
  await button('Save').click();
  await history.filter({ hasText: 'value: 479.9 → 529' }).waitFor({ timeout: 15_000 });
  assert.equal(await page.getByLabel('Description').inputValue(), 'Solid oak, 160 × 80 cm');

  // A change of this second is not yet among those that can be undone.
  await sleep(1_100);
  await history.first().getByRole('button', { name: 'Undo what this user did' }).click();
  await button('Look').click();
  await page.getByText(/^1 fields? would be put back/).waitFor();
  await page.locator('#mistakes tr', { hasText: '479.9' }).waitFor();
  await page.getByRole('button', { name: 'Undo', exact: true }).click();
  await page.getByText('1 updates made, 0 fields are left to you.').waitFor();
  await history.filter({ hasText: 'value: 529 → 479.9' }).waitFor({ timeout: 15_000 });

  await page.reload();
  await listed.nth(items.length).waitFor();
  await button('Sign out').click();
  await button('Sign in').waitFor();
  assert.equal(await page.evaluate('sessionStorage.length + localStorage.length'), 0);
}
