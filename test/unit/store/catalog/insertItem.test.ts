import { describe, expect, it } from 'vitest';
import type { IdempotencyKey } from '../../../../lib/catalog/catalogStore.ts';
import type { CatalogError } from '../../../../lib/item/errors.ts';
import { IdLease } from '../../../../lib/store/catalog/idLease.ts';
import { findCreated, insertItem } from '../../../../lib/store/catalog/insertItem.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import { putIdempotencyRecord } from '../../../../lib/store/records/idempotencyRecord.ts';
import { beginning, type Reply, type Sent, scripted } from '../../../support/standIns/scripted.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';
import { itemFields, testCall } from '../../../support/table/testTable.ts';

const lease = (last: number): Reply => ({ Attributes: { last: last } });
const lost = sdkError('TimeoutError', undefined);
const key: IdempotencyKey = { key: 'k', sent: { name: 'f' } };
const failing = 'ConditionalCheckFailed';

/** Refuses a put, or the transaction with it, because the id already has the sent item, with changes. */
const refusedBy =
  (changes: StoredRecord): Reply =>
  ({ input }: Sent) => {
    const [first] = input.TransactItems ?? [];
    const Item = { ...(first?.Put.Item ?? input.Item), ...changes };
    return first === undefined
      ? sdkError('ConditionalCheckFailedException', 400, { Item })
      : cancelled([{ Code: failing, Item }, ...others(input.TransactItems.length)]);
  };
const others = (length: number) => Array(length - 1).fill({ Code: 'None' });
const cancelled = (CancellationReasons: object[]) =>
  sdkError('TransactionCanceledException', 400, { CancellationReasons });
const another: StoredRecord = { written_stamp: 'of another' };

async function create(replies: readonly Reply[], fields = {}, withKey?: IdempotencyKey) {
  const { database, sent, waits } = scripted(replies);
  const call = { ...testCall('acme'), deadline: beginning + 8_000 };
  const created = insertItem(database.for(call), new IdLease(), itemFields(fields), withKey);
  const outcome = await created.then(
    ({ item, replayed }) => ({ id: item.id, replayed }),
    ({ code, name, cause, fields }: Partial<CatalogError> & { name: string; cause?: Error }) => ({
      code: code ?? name,
      cause: cause?.name,
      ...(fields && { fields }),
    }),
  );
  return { outcome, sent: sent.length, waits };
}

describe('a create whose response was lost', () => {
  it.each([
    ['alone', {}],
    ['with its guards', { sku: 'S' }],
  ])('succeeded if the stored item has its write id, %s', async (_case, fields) => {
    const { outcome, sent } = await create([lease(10), lost, refusedBy({})], fields);
    expect(outcome).toEqual({ id: 1, replayed: false });
    expect(sent).toBe(3);
  });

  it('is not answered with a taken identifier, because its first attempt may still land once that is free', async () => {
    const reply = cancelled([{ Code: 'None' }, { Code: failing, Item: { item_id: 9 } }]);
    const { outcome } = await create([lease(10), lost, reply], { sku: 'S' });
    expect(outcome).toEqual({ code: 'SERVICE_UNAVAILABLE', cause: 'ConditionFailed' });
  });

  it('has an unknown outcome if another request has written since, because the item may have been its own', async () => {
    const { outcome, sent } = await create([lease(10), lost, refusedBy(another)]);
    expect(outcome).toEqual({ code: 'SERVICE_UNAVAILABLE', cause: 'ConditionFailed' });
    expect(sent).toBe(3);
  });
});

describe('a create under an id that is in use', () => {
  it('takes the next id', async () => {
    const { outcome, sent, waits } = await create([lease(10), refusedBy(another), refusedBy(another), {}]);
    expect(outcome).toEqual({ id: 3, replayed: false });
    expect(sent).toBe(4);
    expect(waits).toEqual([10, 20]);
  });

  it('gives up at the deadline', async () => {
    const replies = Array.from({ length: 20 }, (_, lap) => [
      lease(10 * lap + 10),
      ...Array(10).fill(refusedBy(another)),
    ]);
    const { outcome, waits } = await create(replies.flat());
    expect(outcome).toEqual({ code: 'SERVICE_UNAVAILABLE', cause: 'ConditionFailed' });
    expect(waits.reduce((sum, wait) => sum + wait, 0)).toBeGreaterThan(7_500);
  });
});

describe('the item that was created with a key', () => {
  const second = beginning / 1_000;
  const call = { ...testCall('acme'), deadline: beginning + 8_000 };
  const item = { ...itemFields({ name: 'f' }), id: 5, revision: 1, createdAt: 0 };
  const { Put } = putIdempotencyRecord(call, key, item, 0);
  const sessionWith = (expires_at: number) => scripted([{ Item: { ...Put.Item, expires_at } }]).database.for(call);
  const found = (expires_at: number, sent = key.sent) => findCreated(sessionWith(expires_at), { ...key, sent });

  it('is found until the key expires and can be used again', async () => {
    expect(await found(second + 1)).toEqual({ ...item, updatedAt: item.createdAt, updatedBy: call.user });
    expect(await found(second)).toBeUndefined();
  });

  it('is not found for another body', async () => {
    expect(await found(second + 1, { name: 'g' })).toBeUndefined();
  });
});
