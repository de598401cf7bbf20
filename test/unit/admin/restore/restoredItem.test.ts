import { expect, it } from 'vitest';
import { putItemBack } from '../../../../admin/restore/restoreItems.ts';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import { stored } from '../../../support/standIns/scriptedUpdate.ts';
import { testCall } from '../../../support/table/testTable.ts';

const now = 1_000_000;
const putBack = (seen: object | undefined) =>
  putItemBack(testCall('acme'), { copy: stored(), seen: seen as never, revision: 9, sentAt: now }).Put?.Item;

it.each([
  ['a missing item', undefined, now],
  ['an item without times', {}, now],
  ['an earlier write', { written_at: now - 1, sent_at: now - 1 }, now],
  ['a write by a clock that is ahead', { written_at: now + 3_000, sent_at: now + 2_000 }, now + 3_000],
  ['a write by an earlier version, which keeps no logical time', { written_at: 1, sent_at: now + 3_000 }, now + 3_000],
])('an item that is put back over %s is as late as that, and closed to earlier requests', (_, seen, sentAt) => {
  const closed = { closed_until: sentAt + timeouts.clockSkew };
  expect(putBack(seen)).toMatchObject({ revision: 9, written_at: sentAt, sent_at: sentAt, ...closed });
  expect(putBack({ ...seen, closed_until: now + 60_000 })).toMatchObject({ closed_until: now + 60_000 });
});
