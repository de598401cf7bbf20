import { expect, it, vi } from 'vitest';
import { loadItem } from '../../client/items/readItems.ts';
import { Undo } from '../../client/undo/undo.ts';
import { startTestApi } from '../support/api/testApi.ts';
import { isRead, meetRequests } from '../support/client/meetRequests.ts';
import { memoryStorage } from '../support/standIns/memoryStorage.ts';

const { setAhead } = await vi.hoisted(() => import('../support/time/shiftedClock.ts'));

const api = await startTestApi({ recordsChanges: true });
const { client, catalog, created, hold, newName, update } = await meetRequests(api);

it('an undo looks, undoes what it has shown, and forgets a look at another target', async () => {
  const item = await created({ name: newName(), value: 1 });
  setAhead(1_100);
  const from = new Date(Math.floor(Date.now() / 1_000) * 1_000);
  await update(item.id, { value: 2 });
  setAhead(2_200);
  const target = { users: [catalog.user], from, to: new Date(Date.now()), items: [item.id] };
  const undoing = new Undo({ client, storage: memoryStorage() });
  do await undoing.preview(target);
  while (!JSON.stringify(undoing.getState()).includes('"put back"'));
  expect(undoing.getState()).toMatchObject({
    step: 'previewed',
    report: [{ field: 'value', before: 1, now: 2, result: 'put back' }],
  });
  const { sent, release } = hold(isRead);
  const looking = undoing.preview(target);
  await sent;
  undoing.reset();
  release();
  await looking;
  expect(undoing.getState()).toEqual({ step: 'ready' });
  await undoing.start(target);
  expect(undoing.getState()).toMatchObject({ step: 'done', progress: { left: 0 } });
  expect((await loadItem(client, item.id))?.value).toBe(1);
});

it('an undo that is left stops, says so, and fails with its reason', async () => {
  const target = { users: ['ann'], from: new Date(0), to: new Date(1) };
  const undoing = new Undo({ client, storage: undefined });
  const { sent, release } = hold(isRead);
  const undone = undoing.start(target);
  await sent;
  undoing.dispose();
  release();
  await undone;
  expect(undoing.getState()).toEqual({ step: 'paused', progress: undefined });
  const again = hold(isRead);
  const previewing = undoing.preview(target);
  await again.sent;
  undoing.dispose();
  again.release();
  await previewing;
  expect(undoing.getState()).toEqual({ step: 'ready' });
  await undoing.preview({ ...target, to: target.from });
  expect(undoing.getState()).toMatchObject({ step: 'failed', failure: { code: 'refused', error: 'RangeError' } });
});
