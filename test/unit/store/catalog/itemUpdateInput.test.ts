import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RequestContext, timedContext } from '../../../../lib/catalog/requestContext.ts';
import { limits } from '../../../../lib/item/limits.ts';
import { itemUpdateInput } from '../../../../lib/store/catalog/itemUpdateInput.ts';
import type { ItemWrite } from '../../../../lib/store/catalog/plannedWrite.ts';
import { acceptedBody, anyText, notoriousKeys } from '../../../support/items/arbitraries.ts';
import { readUpdate } from '../../../support/items/readBody.ts';
import { sampleAccount } from '../../../support/items/sampleAccount.ts';
import { resolved } from '../../../support/standIns/resolved.ts';

const call: RequestContext = { ...timedContext(0), account: 'acme', user: 'ann', writeId: 'write-1' };
const write = (parts: Partial<ItemWrite>) =>
  itemUpdateInput(call, 1_000, 7, { fields: {}, metadata: { set: {}, remove: [] }, expected: {}, ...parts });
type Write = ReturnType<typeof itemUpdateInput>;

const anyKeyedUpdate = fc.record({ key: fc.string(), body: fc.string(), at: fc.nat() });

/** The fields of an accepted body, and any expected state of the stored item. */
const anyWrite = acceptedBody.chain((body) => {
  const { fields, metadata } = readUpdate(body, sampleAccount);
  return fc.record<ItemWrite>({
    fields: fc.constant(fields),
    metadata: fc.constant(metadata),
    expected: fc.record(
      {
        identifiers: fc.record({ sku: fc.option(anyText), pn: fc.option(anyText) }, { requiredKeys: [] }),
        category: fc.nat(),
        units: fc.array(anyText, { minLength: 1 }),
        revisions: fc.array(fc.nat(), { minLength: 1 }),
        metadataKeys: fc.nat(),
        metadataHas: fc.constant(Object.keys(metadata.set)),
      },
      { requiredKeys: [] },
    ),
    keyed: fc.option(fc.record({ update: anyKeyedUpdate, isNew: fc.boolean() }), { nil: undefined }),
  });
});

/** The condition of every write: the item exists, no fence closes it to a write of that time, and no write is newer. */
const open =
  'attribute_exists(pk) AND (attribute_not_exists(closed_until) OR closed_until < 1000) AND written_at <= 6000 AND ' +
  '(attribute_not_exists(sent_at) OR sent_at < 6001)';

describe('the write of an update', () => {
  it('without changes raises the revision of an existing item, and records the writer', () => {
    expect(resolved(write({}))).toMatchObject({
      UpdateExpression:
        'SET revision = revision + 1, written_by = "ann", written_stamp = "write-1", written_at = 1000, sent_at = 1000',
      ConditionExpression: open,
    });
  });

  it('has at most 100 operands in a list, because DynamoDB accepts no more', () => {
    const { ConditionExpression: condition } = resolved(
      write({ expected: { revisions: Array.from({ length: 150 }, (_, index) => index) } }),
    );
    expect(condition.split(',')).toHaveLength(100);
  });

  it('stays within DynamoDB’s 4 KB and 300 operators for an expression, even with the largest change', () => {
    const { keysPerRequest } = limits.metadata;
    const keys = Array.from({ length: keysPerRequest }, (_, index) => `${index}`.padStart(64, 'k'));
    const fields = { name: 'a', type: 'product', category: 1, value: 1, qty: 1, unit: 'un', description: 'a' } as const;
    const all = { ...fields, active: true, cost: 1, tax: 1, sku: 'A', pn: 'B', tag: 'c' };
    const metadata = { set: Object.fromEntries(keys.map((key) => [key, 1])), remove: [] };
    const revisions = Array.from({ length: 100 }, (_, index) => index);
    const units = [...sampleAccount.units.keys()];
    const expected = { identifiers: { sku: 'A', pn: 'B' }, units, revisions, metadataKeys: 50, metadataHas: keys };
    const keyed = { update: { key: 'k', body: 'b', at: 0 }, isNew: true };
    const { UpdateExpression, ConditionExpression } = write({ fields: all, metadata, expected, keyed });
    for (const expression of [UpdateExpression, ConditionExpression]) {
      expect(expression.length).toBeLessThan(4_096);
      expect(expression.match(/\b(?:AND|OR|IN|NOT|\w+(?=\())|[=<+]/g)?.length).toBeLessThan(300);
    }
  });
});

describe('the expressions of any update', () => {
  const law = (holds: (write: Write, sent: ItemWrite) => void) =>
    fc.assert(
      fc.property(anyWrite, (sent) => {
        holds(write(sent), sent);
      }),
    );

  it('contain only DynamoDB’s keywords and generated placeholders', () => {
    const words =
      /^(?:SET|REMOVE|AND|OR|IN|NOT|attribute_exists|attribute_not_exists|begins_with|if_not_exists|size|#\d+|:\d+|<=|<|[ =+,.()])*$/;
    law(({ UpdateExpression, ConditionExpression }) => {
      expect(UpdateExpression).toMatch(words);
      expect(ConditionExpression).toMatch(words);
    });
  });

  it('name every key of the custom fields exactly', () => {
    law(({ ExpressionAttributeNames }, { metadata }) => {
      const names = Object.values(ExpressionAttributeNames);
      expect(names).toEqual(expect.arrayContaining([...Object.keys(metadata.set), ...metadata.remove]));
    });
    const set = Object.fromEntries(notoriousKeys.map((key) => [key, key]));
    const { UpdateExpression: update } = resolved(write({ metadata: { set, remove: [] } }));
    for (const key of notoriousKeys.filter((name) => !/[#:]/.test(name)))
      expect(update).toContain(`metadata.${key} = "${key}"`);
  });
});
