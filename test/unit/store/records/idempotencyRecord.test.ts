import { describe, expect, it } from 'vitest';
import { type RequestContext, timedContext } from '../../../../lib/catalog/requestContext.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import {
  fingerprint,
  idempotencyRecordKey,
  putIdempotencyRecord,
  readIdempotencyRecord,
} from '../../../../lib/store/records/idempotencyRecord.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { sampleItem } from '../../../support/items/sampleItem.ts';
import { resolved } from '../../../support/standIns/resolved.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const day = 24 * 60 * 60;
const key = (text: string, name = 'a') => ({ key: text, sent: { name } });
const fingerprintOfA = fingerprint({ name: 'a' });
const keep = () => putIdempotencyRecord(call, key('k'), sampleItem, 1_000_999).Put;

describe('the record of a key', () => {
  it('keeps the created item for 24 hours, unless an earlier record has not expired', () => {
    const put = keep();
    const { pk, sk, item, ...others }: StoredRecord = put.Item;
    expect({ pk, sk }).toEqual({
      pk: 'ACCOUNT#acme#IDEMPOTENCY#6d41b7e50d2211a2c9fd06250bb5f7b791a2c3815141668803642e621d0876ba',
      sk: 'REQUEST',
    });
    expect(item).toEqual(newItemRecord(call, sampleItem));
    expect(others).toEqual({ fingerprint: fingerprintOfA, expires_at: 1_000 + day });
    expect(resolved({ ...put, Item: undefined })).toEqual({
      ConditionExpression: 'attribute_not_exists(pk) OR expires_at <= 1000',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    });
  });

  it('is read as the item as created, with its fingerprint and its expiry', () => {
    expect(readIdempotencyRecord(keep().Item)).toEqual({
      fingerprint: fingerprintOfA,
      expiresAt: 1_000 + day,
      item: { ...sampleItem, updatedAt: sampleItem.createdAt },
    });
  });

  it('is separate for each account, user and key, however they are spelled', () => {
    const callers = ['ann', 'bob', 'ann","createItem', '["ann'].map((user) => ({ ...call, user }));
    const all = [...callers, { ...call, account: 'other' }].flatMap((caller) =>
      ['k', 'l', 'K', 'k","', 'createItem'].map((text) => idempotencyRecordKey(caller, key(text)).pk),
    );
    expect(new Set(all).size).toBe(25);
    expect(idempotencyRecordKey({ ...call, writeId: 'write-2' }, key('k', 'b'))).toEqual(
      idempotencyRecordKey(call, key('k')),
    );
  });

  it('that cannot be read is an error', () => {
    const { name: _, ...nameless } = newItemRecord(call, sampleItem);
    for (const item of [1, {}, nameless]) expect(() => readIdempotencyRecord({ ...keep().Item, item })).toThrow();
  });
});
