import { expect, it, onTestFinished, vi } from 'vitest';
import { changesTable } from '../../lib/store/records/keys.ts';
import { create, update } from '../support/apiRequests.ts';
import { recordedChanges } from '../support/changeStream.ts';
import { startTestApi } from '../support/testApi.ts';

it('the service records what requests change in an item', async () => {
  const api = await startTestApi({ recordsChanges: true });
  onTestFinished(() => api.close());
  const { data } = JSON.parse((await api.send(create({ name: 'Recorded', metadata: { legs: 3 } }))).text);
  await api.send(update(data.id, { value: 2, metadata: { legs: 4 } }));
  await api.send(update(data.id, { value: 2 }));
  const changes = { client: api.client, table: changesTable(api.database.table) };
  const recorded = () => recordedChanges(changes, 'demo-1');
  await vi.waitUntil(async () => (await recorded()).length === 2, { timeout: 60_000, interval: 200 });
  const shared = { item: data.id, updated_by: 'editor' };
  const fields = [
    { field: 'value', from: 0, to: 2 },
    { field: 'metadata', key: 'legs', from: 3, to: 4 },
  ];
  expect(await recorded()).toMatchObject([
    { ...shared, kind: 'created', revision: 1 },
    { ...shared, kind: 'updated', revision: 2, fields },
  ]);
});
