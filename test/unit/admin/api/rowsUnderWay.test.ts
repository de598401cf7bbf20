import { mkdtempSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { notingRows, rowsUnderWay } from '../../../../admin/api/rowsUnderWay.ts';
import type { ItemWriter } from '../../../../lib/catalog/catalogStore.ts';
import type { RequestContext } from '../../../../lib/catalog/requestContext.ts';

it('a row whose code moves while it is written is of the item that has it then, and a repeat of the one that was noted', async () => {
  const path = join(mkdtempSync(join(tmpdir(), 'rows-')), 'items.csv.progress.rows');
  const [first, second] = [
    { id: 1, revision: 3 },
    { id: 2, revision: 5 },
  ];
  const store = { findMatch: vi.fn(), findItem: vi.fn(async (id: number) => ({ id, revision: 9 })) };
  const openRow = () => notingRows(() => store as unknown as ItemWriter, rowsUnderWay(path))({} as RequestContext);
  const find = async (row: ReturnType<typeof openRow>) => row.findMatch({ name: 'sku', text: 'A' } as never, 'key 1');
  store.findMatch.mockResolvedValueOnce(first).mockResolvedValueOnce(second);
  const row = openRow();
  expect([await find(row), await find(row)]).toEqual([first, second]);
  const age = (minutes: number) => utimesSync(path, new Date(), Date.now() / 1_000 - minutes * 60);
  for (const minutes of [0, 10, 23 * 60]) {
    age(minutes);
    expect(await find(openRow())).toEqual({ id: 2, revision: 9 });
  }
  expect(store.findMatch).toHaveBeenCalledTimes(2);
  age(25 * 60);
  store.findMatch.mockResolvedValueOnce(first);
  expect(await find(openRow())).toEqual(first);
});
