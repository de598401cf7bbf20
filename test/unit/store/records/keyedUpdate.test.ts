import { expect, it } from 'vitest';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { idempotencyLifetime } from '../../../../lib/store/records/idempotencyKey.ts';
import { newItemRecord, readItem } from '../../../../lib/store/records/itemRecord.ts';
import { earlierUpdate, keyedUpdate, keyedUpdateText } from '../../../../lib/store/records/keyedUpdate.ts';
import { sampleItem } from '../../../support/sampleItem.ts';

const call = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const updateAt = (seconds: number, sent: { value: number }) => keyedUpdate(call, { key: 'k', sent }, seconds * 1000);

it('a key that has expired means a new update, whatever its body', () => {
  const record = newItemRecord(call, sampleItem);
  const item = readItem({ ...record, keyed_1: keyedUpdateText(updateAt(0, { value: 1 })) });
  const last = idempotencyLifetime - 1;
  expect(earlierUpdate(item, updateAt(last, { value: 1 }))).toBe('done');
  expect(() => earlierUpdate(item, updateAt(last, { value: 2 }))).toThrow(
    expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }),
  );
  expect(earlierUpdate(item, updateAt(idempotencyLifetime, { value: 1 }))).toBe('expired');
  expect(earlierUpdate(item, updateAt(idempotencyLifetime, { value: 2 }))).toBe('expired');
});

it('a key that was used again after it had expired is known by its latest use', () => {
  const [first, again] = [0, idempotencyLifetime].map((seconds) => keyedUpdateText(updateAt(seconds, { value: 1 })));
  const item = readItem({ ...newItemRecord(call, sampleItem), keyed_1: again, keyed_2: first });
  expect(earlierUpdate(item, updateAt(idempotencyLifetime + 1, { value: 1 }))).toBe('done');
});
