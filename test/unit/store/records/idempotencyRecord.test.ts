import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../lib/catalog/catalogStore.ts';
import { timedContext } from '../../../../lib/catalog/catalogStore.ts';
import type { Attributes } from '../../../../lib/store/database/attributes.ts';
import {
  idempotencyRecordKey,
  isExpired,
  putIdempotencyRecord,
  readCreatedItem,
} from '../../../../lib/store/records/idempotencyRecord.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { sampleItem } from '../../../support/sampleItem.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const day = 24 * 60 * 60;
const key = (text: string, fingerprint = 'a') => ({ key: text, fingerprint: () => fingerprint });
const keep = () => putIdempotencyRecord('table-1', call, key('k'), sampleItem, 1_000_999).Put;

describe('the record of a key', () => {
  it('holds for 24 hours what was created, unless an earlier one has not ended', () => {
    const put = keep();
    const { pk, sk, item, ...others }: Attributes = put.Item;
    expect({ pk, sk }).toEqual({
      pk: { S: 'ACCOUNT#acme#IDEMPOTENCY#6d41b7e50d2211a2c9fd06250bb5f7b791a2c3815141668803642e621d0876ba' },
      sk: { S: 'REQUEST' },
    });
    expect(item).toEqual({ M: newItemRecord(call, sampleItem) });
    expect(others).toEqual({ fingerprint: { S: 'a' }, expires_at: { N: String(1_000 + day) } });
    expect({ ...put, Item: undefined }).toEqual({
      TableName: 'table-1',
      ConditionExpression: 'attribute_not_exists(#pk) OR #expiry <= :now',
      ExpressionAttributeNames: { '#pk': 'pk', '#expiry': 'expires_at' },
      ExpressionAttributeValues: { ':now': { N: '1000' } },
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('gives the item back as it was created, to the same body', () => {
    expect(readCreatedItem(keep().Item, key('k'))).toEqual(sampleItem);
    expect(readCreatedItem(keep().Item, key('k', 'b'))).toBeUndefined();
  });

  it('ends after a day', () => {
    const end = (1_000 + day) * 1000;
    expect([isExpired(keep().Item, end - 1), isExpired(keep().Item, end)]).toEqual([false, true]);
  });

  it('is apart for each account, user and key, however they are spelled', () => {
    const callers = ['ann', 'bob', 'ann","createItem', '["ann'].map((user) => ({ ...call, user }));
    const all = [...callers, { ...call, account: 'other' }].flatMap((caller) =>
      ['k', 'l', 'K', 'k","', 'createItem'].map((text) => idempotencyRecordKey(caller, key(text)).pk),
    );
    expect(new Set(all).size).toBe(25);
    expect(idempotencyRecordKey({ ...call, writeId: 'write-2' }, key('k', 'b'))).toEqual(
      idempotencyRecordKey(call, key('k')),
    );
  });

  it('that cannot be read is not guessed at', () => {
    const { name: _, ...nameless } = newItemRecord(call, sampleItem);
    for (const item of [{ N: '1' }, { M: {} }, { M: nameless }])
      expect(() => readCreatedItem({ ...keep().Item, item }, key('k'))).toThrow();
  });
});
