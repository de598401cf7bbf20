import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RequestContext } from '../../../../lib/catalog/catalogStore.ts';
import { timedContext } from '../../../../lib/catalog/catalogStore.ts';
import { readCreate } from '../../../../lib/item/readBody.ts';
import { newItemRecord, readItem } from '../../../../lib/store/records/itemRecord.ts';
import { acceptedBody } from '../../../support/arbitraries.ts';
import { sampleAccount } from '../../../support/sampleAccount.ts';
import { sampleItem } from '../../../support/sampleItem.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const record = newItemRecord(call, sampleItem);

describe('the record of a new item', () => {
  it('holds its fields, and who wrote it', () => {
    expect(record).toEqual({
      pk: { S: 'ACCOUNT#acme#ITEMS' },
      sk: { S: 'ITEM#0000000000000007' },
      id: { N: '7' },
      name: { S: 'Chair' },
      type: { S: 'service' },
      category: { N: '2' },
      value: { N: '12.5' },
      qty: { N: '3' },
      unit: { S: 'kg' },
      description: { S: 'With arms' },
      active: { BOOL: false },
      cost: { N: '8.25' },
      tax: { N: '1.5' },
      sku: { S: 'CH-1' },
      pn: { S: 'PN-1' },
      tag: { S: 'seat;wood' },
      metadata: { M: { colour: { S: 'red' }, size: { M: { w: { N: '40' } } } } },
      revision: { N: '3' },
      created_at: { N: '1795216200789' },
      written_by: { S: 'ann' },
      written_stamp: { S: 'write-1' },
      written_at: { N: '1795216200789' },
    });
  });

  it('holds no attribute for a field without a value', () => {
    const bare = { ...sampleItem, category: null, description: null, sku: null, pn: null, tag: null, metadata: {} };
    const { category, description, sku, pn, tag, metadata } = newItemRecord(call, bare);
    expect([category, description, sku, pn, tag]).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(metadata).toEqual({ M: {} });
    expect(readItem(newItemRecord(call, bare)).item).toEqual(bare);
  });

  it('is read as the item that it was made of', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        const item = { ...readCreate({ name: 'Chair', ...body }, sampleAccount), id: 7, revision: 1, createdAt: 5 };
        expect(readItem(newItemRecord(call, item))).toEqual({ item, writeId: 'write-1', writtenAt: 5 });
      }),
    );
  });
});

describe('a record that is no item’s', () => {
  it.each([
    ['without a name', { name: undefined }],
    ['with a name that is no text', { name: { N: '1' } }],
    ['with an unknown type', { type: { S: 'other' } }],
    ['with a value that is no number', { value: { S: '1' } }],
    ['with custom fields that are a list', { metadata: { L: [] } }],
    ['without custom fields', { metadata: undefined }],
    ['without a revision', { revision: undefined }],
    ['with a set', { tag: { SS: ['a'] } }],
  ])('is not guessed at: %s', (_case, parts) => {
    const entries = Object.entries({ ...record, ...parts }).filter(([, attribute]) => attribute !== undefined);
    expect(() => readItem(Object.fromEntries(entries) as typeof record)).toThrow();
  });
});
