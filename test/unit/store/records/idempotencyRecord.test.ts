import { isDeepStrictEqual } from 'node:util';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RequestContext, timedContext } from '../../../../lib/catalog/requestContext.ts';
import { fieldNames } from '../../../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../../../lib/item/json.ts';
import { idempotencyLifetime } from '../../../../lib/item/limits.ts';
import { parseBody } from '../../../../lib/item/readBody.ts';
import type { StoredRecord } from '../../../../lib/store/database/record.ts';
import * as idempotency from '../../../../lib/store/records/idempotencyRecord.ts';
import { newItemRecord, readItem } from '../../../../lib/store/records/itemRecord.ts';
import { acceptedBody } from '../../../support/items/arbitraries.ts';
import { sampleItem } from '../../../support/items/sampleItem.ts';
import { resolved } from '../../../support/standIns/resolved.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };

/** The same JSON with the keys of every object in another order. */
function reversed(value: Json): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(reversed);
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

/** The fingerprint of a body as a create validates it. */
function fingerprintOf(body: JsonObject): string {
  const { sent, invalid } = parseBody(body);
  expect(invalid).toEqual([]);
  return idempotency.fingerprint(sent);
}

describe('the fingerprint of a create’s body', () => {
  it('is a SHA-256, and never changes, because keys outlive releases', () => {
    const body = { name: 'Chair', metadata: { b: [1, { d: null, c: 'é' }], a: false }, value: 0.5 };
    expect(fingerprintOf(body)).toBe('35bc265aa8a7d278864cb5e9d1b322353af9766baacc72a015f7bcf2af5c1b3a');
  });

  it('is the same for any order of keys, and ignores what a create does not read', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        expect(fingerprintOf(reversed(body) as JsonObject)).toBe(fingerprintOf(body));
        expect(fingerprintOf({ ...body, id: 1, colour: [[[]]], create_date: 'x' })).toBe(fingerprintOf(body));
        expect(fingerprintOf(JSON.parse(JSON.stringify(body, null, 2)))).toBe(fingerprintOf(body));
      }),
    );
  });

  it('differs for fields with different validated values', () => {
    const validated = (body: JsonObject): JsonObject => JSON.parse(JSON.stringify(parseBody(body).sent));
    fc.assert(
      fc.property(acceptedBody, acceptedBody, fc.constantFrom(...fieldNames), (one, other, field) => {
        const { [field]: _, ...fewer } = one;
        for (const body of [other, fewer])
          expect(fingerprintOf(body) === fingerprintOf(one)).toBe(isDeepStrictEqual(validated(body), validated(one)));
      }),
    );
  });

  it.each<[JsonObject, JsonObject]>([
    [{ name: '1' }, { name: '2' }],
    [{ name: 'A' }, { name: ' A' }],
    [{ tag: null }, {}],
    [{ tag: '' }, { tag: null }],
    [{ active: true }, {}],
    [{ value: 0 }, {}],
    [{ qty: 1 }, { qty: 1.4 }],
    [{ metadata: null }, {}],
    [{ metadata: { a: null } }, { metadata: {} }],
    [{ metadata: { a: [1, 2] } }, { metadata: { a: [2, 1] } }],
    [{ metadata: { a: { b: 1 } } }, { metadata: { 'a":{"b': 1 } }],
    [{ metadata: { a: '1,"b":2' } }, { metadata: { a: 1, b: 2 } }],
  ])('distinguishes %j from %j', (one, other) => {
    expect(fingerprintOf(one)).not.toBe(fingerprintOf(other));
  });
});

it('a key is that of one user: of a token of this service, as ever, or of one identity provider', () => {
  const hashes = [undefined, 'https://login.example.com', 'https://login.example.org'].map((issuer) =>
    idempotency.hashedKey({ user: 'ann', issuer }, 'createItem', 'k'),
  );
  expect(hashes[0]).toBe('6d41b7e50d2211a2c9fd06250bb5f7b791a2c3815141668803642e621d0876ba');
  expect(new Set(hashes).size).toBe(3);
});

const updateAt = (seconds: number, sent: { value: number }) =>
  idempotency.keyedUpdate(call, { key: 'k', sent }, seconds * 1000);

it('a key that has expired means a new update, whatever its body', () => {
  const record = newItemRecord(call, sampleItem);
  const item = readItem({ ...record, keyed_1: idempotency.keyedUpdateText(updateAt(0, { value: 1 })) });
  const last = idempotencyLifetime - 1;
  expect(idempotency.earlierUpdate(item, updateAt(last, { value: 1 }))).toBe('done');
  expect(() => idempotency.earlierUpdate(item, updateAt(last, { value: 2 }))).toThrow(
    expect.objectContaining({ code: 'IDEMPOTENCY_KEY_REUSED' }),
  );
  expect(idempotency.earlierUpdate(item, updateAt(idempotencyLifetime, { value: 1 }))).toBe('expired');
  expect(idempotency.earlierUpdate(item, updateAt(idempotencyLifetime, { value: 2 }))).toBe('expired');
});

it('a key that was used again after it had expired is known by its latest use', () => {
  const [first, again] = [0, idempotencyLifetime].map((seconds) =>
    idempotency.keyedUpdateText(updateAt(seconds, { value: 1 })),
  );
  const item = readItem({ ...newItemRecord(call, sampleItem), keyed_1: again, keyed_2: first });
  expect(idempotency.earlierUpdate(item, updateAt(idempotencyLifetime + 1, { value: 1 }))).toBe('done');
});

const day = 24 * 60 * 60;
const key = (text: string, name = 'a') => ({ key: text, sent: { name } });
const fingerprintOfA = idempotency.fingerprint({ name: 'a' });
const keep = () => idempotency.putIdempotencyRecord(call, key('k'), sampleItem, 1_000_999).Put;

describe('the record of a create’s key', () => {
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
    expect(idempotency.readIdempotencyRecord(keep().Item)).toEqual({
      fingerprint: fingerprintOfA,
      expiresAt: 1_000 + day,
      item: { ...sampleItem, updatedAt: sampleItem.createdAt },
    });
  });

  it('is separate for each account, user and key, however they are spelled', () => {
    const callers = ['ann', 'bob', 'ann","createItem', '["ann'].map((user) => ({ ...call, user }));
    const all = [...callers, { ...call, account: 'other' }].flatMap((caller) =>
      ['k', 'l', 'K', 'k","', 'createItem'].map((text) => idempotency.idempotencyRecordKey(caller, key(text)).pk),
    );
    expect(new Set(all).size).toBe(25);
    expect(idempotency.idempotencyRecordKey({ ...call, writeId: 'write-2' }, key('k', 'b'))).toEqual(
      idempotency.idempotencyRecordKey(call, key('k')),
    );
  });

  it('that cannot be read is an error', () => {
    const { name: _, ...nameless } = newItemRecord(call, sampleItem);
    for (const item of [1, {}, nameless])
      expect(() => idempotency.readIdempotencyRecord({ ...keep().Item, item })).toThrow();
  });
});
