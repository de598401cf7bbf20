import { expect, it } from 'vitest';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, getCatalog, writeBatch } from '../support/api/apiRequests.ts';
import { startTestApi } from '../support/api/testApi.ts';

const batches = { rate: 1, burst: 2 };
const api = await startTestApi({
  throttling: {
    ...{ rate: 800, burst: 800, batches: { rate: 8, burst: 16 } },
    shares: { rate: 100, burst: 100, batches, own: ['demo-2'], enforced: true },
  },
});

const desk = (token: string) => writeBatch({ rows: [{ name: 'Desk' }] }, bearer(token));

it('an account that sends more batches than its share gets 429, and others and other operations do not', async () => {
  const { editor, editorWithoutCost, otherAccount } = api.tokens;
  const flood = Array.from({ length: 30 }, (_, index) => api.send(desk(index % 2 === 0 ? editor : editorWithoutCost)));
  const [another, reading] = await Promise.all([api.send(desk(otherAccount)), api.send(getCatalog(bearer(editor)))]);
  const sent = await Promise.all(flood);
  const refused = sent.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  for (const { text, headers } of refused)
    expect([JSON.parse(text).error.code, headers['retry-after']]).toEqual(['TOO_MANY_REQUESTS', '1']);
  const items = Object.keys(await api.records()).filter((key) => key.startsWith(keys.item('demo-1', 1).pk));
  expect(items).toHaveLength(sent.length - refused.length);
  expect([another.status, reading.status]).toEqual([200, 200]);
});
