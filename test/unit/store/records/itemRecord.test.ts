import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { type RequestContext, timedContext } from '../../../../lib/catalog/requestContext.ts';
import { newItemRecord, readItem } from '../../../../lib/store/records/itemRecord.ts';
import { acceptedBody } from '../../../support/items/arbitraries.ts';
import { readCreate } from '../../../support/items/readBody.ts';
import { sampleAccount } from '../../../support/items/sampleAccount.ts';
import { sampleBody, sampleItem } from '../../../support/items/sampleItem.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const record = newItemRecord(call, sampleItem);

describe('the record of a new item', () => {
  it('has its fields, its place in the list, and its writer', () => {
    expect(record).toEqual({
      pk: 'ACCOUNT#acme#ITEMS',
      sk: 'ITEM#0000000000000007',
      list_pk: 'ACCOUNT#acme#NAMES',
      list_sk: 'chair\t0000000000000007',
      ...sampleBody,
      id: 7,
      revision: 3,
      created_at: 1795216200789,
      written_by: 'ann',
      written_stamp: 'write-1',
      written_at: 1795216200789,
      sent_at: 1795216200789,
    });
  });

  it('has no attribute for a field without a value', () => {
    const bare = { ...sampleItem, category: null, description: null, sku: null, pn: null, tag: null, metadata: {} };
    const { category, description, sku, pn, tag, metadata } = newItemRecord(call, bare);
    expect([category, description, sku, pn, tag]).toEqual([undefined, undefined, undefined, undefined, undefined]);
    expect(metadata).toEqual({});
    expect(readItem(newItemRecord(call, bare)).item).toEqual({ ...bare, updatedAt: bare.createdAt });
  });

  it('is read as the same item', () => {
    fc.assert(
      fc.property(acceptedBody, (body) => {
        const item = { ...readCreate({ name: 'Chair', ...body }, sampleAccount), id: 7, revision: 1, createdAt: 5 };
        const last = { updatedAt: 5, updatedBy: 'ann' };
        const written = { writeId: 'write-1', writtenAt: 5, closedUntil: 0 };
        expect(readItem(newItemRecord(call, item))).toMatchObject({ item: { ...item, ...last }, ...written });
      }),
    );
  });
});

it('the type of an item that a later version wrote is read as it is', () => {
  expect(readItem({ ...record, type: 'bundle' }).item.type).toBe('bundle');
});

describe('a record that is not an item', () => {
  it.each([
    ['without a name', { name: undefined }],
    ['with a name that is no text', { name: 1 }],
    ['with a type that is no text', { type: 1 }],
    ['with a value that is no number', { value: '1' }],
    ['with custom fields that are a list', { metadata: [] }],
    ['with custom fields that are null', { metadata: null }],
    ['without custom fields', { metadata: undefined }],
    ['without a revision', { revision: undefined }],
    ['with a set in a custom field', { metadata: { a: [new Set(['b'])] } }],
  ])('is an error: %s', (_case, parts) => {
    const entries = Object.entries({ ...record, ...parts }).filter(([, attribute]) => attribute !== undefined);
    expect(() => readItem(Object.fromEntries(entries) as typeof record)).toThrow(z.core.$ZodError);
  });
});
