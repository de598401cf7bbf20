import assert from 'node:assert/strict';
import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Fails if axe finds anything on the page as it is now, light or dark, or if a phone would scroll it sideways. */
export async function inspectPage(page: Page, state: string): Promise<void> {
  const before = page.viewportSize();
  await page.evaluate(axe.source);
  for (const width of [before?.width ?? 1100, 390])
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.setViewportSize({ width, height: 820 });
      await page.emulateMedia({ colorScheme });
      const found = await page.evaluate<string[]>(
        'axe.run().then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + html)))',
      );
      assert.deepEqual(found, [], `axe, ${state}, ${colorScheme}, ${width} px`);
      assert.ok(
        (await page.evaluate<number>('document.documentElement.scrollWidth')) <= width,
        `${state} at ${width} px`,
      );
    }
  if (before) await page.setViewportSize(before);
}
