import { expect, it } from 'vitest';
import { parseCursor } from '../../../lib/http/cursor.ts';
import { presentPage } from '../../../lib/http/listItemsHandler.ts';
import { testCaller } from '../../support/proxyEvent.ts';
import { sampleItem } from '../../support/sampleItem.ts';

it("a page ends at 5 MB, within Lambda's limit, and the next one continues with the next item", () => {
  // One byte when it is stored, six when it is shown as JSON.
  const description = '\u0001'.repeat(20_000);
  const metadata = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, '\u0001'.repeat(2_000)]));
  const items = Array.from({ length: 10 }, (_, index) => ({
    item: { ...sampleItem, id: index + 1, description, metadata },
    categoryName: null,
    position: { name: 'chair', id: index + 1 },
  }));
  const seen: unknown[] = [];
  let pages = 0;
  for (let from: number | undefined = 0; from !== undefined; pages += 1) {
    const page = presentPage({ items: items.slice(from), next: undefined }, testCaller('acme'));
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(5.5 * 2 ** 20);
    seen.push(...page.data);
    from = page.next_cursor === null ? undefined : parseCursor(page.next_cursor)?.id;
  }
  expect(seen).toMatchObject(items.map(({ item: { id } }) => ({ id })));
  expect(pages).toBeGreaterThan(2);
});
