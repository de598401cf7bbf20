import { describe, expect, it } from 'vitest';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import type { ItemFields } from '../../../../lib/item/fields.ts';
import { keyedUpdate, keyedUpdateText } from '../../../../lib/store/records/idempotencyRecord.ts';
import { beginning, configuration, type Sent } from '../../../support/standIns/scripted.ts';
import {
  call,
  cancelled,
  conditionOf,
  done,
  guardsOf,
  lost,
  refused,
  stored,
  update,
  writeOf,
} from '../../../support/standIns/scriptedUpdate.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

describe('an item that was last written in the future, by a clock that is far ahead', () => {
  it('accepts the second write, which is not sent before the last', async () => {
    const hourAhead = beginning + 3_600_000;
    const ahead = stored({}, { at: hourAhead });
    const { sent } = await update({ fields: { name: 'Table' } }, [refused(ahead), done(stored({ revision: 4 }))]);
    expect(sent[0]?.input.ConditionExpression).toMatch(/ AND #\d+ <= :\d+ AND /);
    expect(Object.values(sent[0]?.input.ExpressionAttributeValues)).toContain(beginning + timeouts.clockSkew);
    expect(Object.values(sent[1]?.input.ExpressionAttributeValues)).toContain(hourAhead + timeouts.clockSkew);
  });
});

describe('an item that is fenced in the future, by a clock that is ahead', () => {
  const closed_until = beginning + 4_000;
  const fenced = refused({ ...stored(), closed_until });
  const changes: [string, Partial<ItemFields>][] = [
    ['alone', { name: 'Table' }],
    ['with its guards', { sku: 'T' }],
  ];

  it.each(changes)('accepts the second write %s, which is later than the fence', async (_, fields) => {
    const { outcome, sent } = await update({ fields }, [fenced, done(stored({ revision: 4 }))]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(writeOf(sent[1] as Sent).ConditionExpression).toContain(`closed_until < ${closed_until + 1})`);
  });

  it.each(changes)('is fenced at the time of the second write %s if its response is lost', async (_, fields) => {
    const landed = done(stored({ revision: 4 }, { by: call, at: beginning }));
    const { outcome, sent } = await update({ fields }, [fenced, lost, landed]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(writeOf(sent[2] as Sent).UpdateExpression).toBe(`SET closed_until = ${closed_until + 1}`);
  });
});

describe('an item whose fence and last write are past', () => {
  it('gets the second write at the current time', async () => {
    const { sent } = await update({ fields: { name: 'Table' } }, [refused(stored()), done(stored({ revision: 4 }))]);
    expect(writeOf(sent[1] as Sent).ConditionExpression).toContain(`closed_until < ${beginning})`);
  });
});

describe('an update that fails', () => {
  it('because of a defect throws the original error', async () => {
    expect((await update({}, [sdkError('AccessDeniedException', 400)])).outcome).toMatchObject({
      code: 'AccessDeniedException',
    });
    const { outcome, sent } = await update({ fields: { sku: 'T' } }, [
      refused(stored()),
      sdkError('AccessDeniedException', 400),
    ]);
    expect(outcome).toMatchObject({ code: 'AccessDeniedException' });
    expect(sent).toHaveLength(2);
  });

  it('because others were faster is rebuilt from their result until it succeeds', async () => {
    const moved = (revision: number) => cancelled(3, [0], stored({ revision, sku: `S${revision}` }));
    const faster = [4, 5, 6, 7, 8, 9].map(moved);
    const now = { Item: stored({ revision: 12 }) };
    const { outcome, sent, waits } = await update({ fields: { sku: 'T' } }, [refused(stored()), ...faster, {}, now]);
    expect(outcome).toMatchObject({ revision: 12 });
    expect(sent.slice(1, -1).map(conditionOf)).toEqual([
      'attribute_exists(pk) AND sku = "S" AND revision IN (3)',
      ...[4, 5, 6, 7, 8, 9].map((revision) => `attribute_exists(pk) AND sku = "S${revision}"`),
    ]);
    // There is no wait before the second write: the first failed because of its expectations, not another writer.
    expect(waits).toEqual([10, 20, 40, 80, 160, 200]);
  });
});

it('an item that was found by its code is not changed, and does not get it back, once it has lost it', async () => {
  const { outcome, sent } = await update({ fields: { sku: 'T', name: 'Table' }, match: 'sku' }, [refused(stored())]);
  expect([outcome, sent.length]).toEqual([{ outdatedAt: 3 }, 1]);
});

describe('a change of identifiers', () => {
  const both = { fields: { sku: 'T', pn: 'Q' } };

  it('puts the new guards and deletes the old ones in the item’s transaction', async () => {
    const { outcome, sent } = await update(both, [refused(stored()), {}]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk) AND sku = "T" AND pn = "Q"');
    expect(guardsOf(sent[1] as Sent)).toEqual([
      'take ACCOUNT#acme#SKU#T',
      'take ACCOUNT#acme#PN#Q',
      'free ACCOUNT#acme#SKU#S',
      'free ACCOUNT#acme#PN#P',
    ]);
  });

  it('needs no transaction if no guard is left to write', async () => {
    const { sent } = await update({ fields: { sku: null } }, [
      refused(stored()),
      cancelled(2, [1]),
      done(stored({ revision: 4 })),
    ]);
    expect(sent.map((command) => command.name)).toEqual(['Update', 'TransactWrite', 'Update']);
  });

  it.each([
    [[0], { outdatedAt: 3 }],
    [[0, 1], { code: 'ITEM_ALREADY_EXISTS', taken: [['sku', 21]] }],
    [[0, 2], { code: 'ITEM_ALREADY_EXISTS', taken: [['pn', 22]] }],
  ])('at an outdated revision is still tried, as a taken identifier takes precedence: %j', async (failed, refusal) => {
    const { outcome, sent } = await update({ ...both, revisions: [2] }, [refused(stored()), cancelled(5, failed)]);
    expect(outcome).toMatchObject(refusal);
    expect(conditionOf(sent[1] as Sent)).toMatch(/ AND revision IN \(0\)$/);
  });

  it('at an outdated revision that takes one and removes two is refused because of the taken one', async () => {
    const requested = { fields: { sku: 'T', pn: null }, revisions: [2] };
    const { outcome } = await update(requested, [refused(stored()), cancelled(4, [0, 1])]);
    expect(outcome).toMatchObject({ code: 'ITEM_ALREADY_EXISTS', taken: [['sku', 21]] });
  });

  it('at an outdated revision is sent again after a lost response, because it can never take effect', async () => {
    const requested = { ...both, revisions: [2] };
    const { outcome, sent } = await update(requested, [refused(stored()), lost, cancelled(5, [0, 1])]);
    expect(outcome).toMatchObject({ code: 'ITEM_ALREADY_EXISTS', taken: [['sku', 21]] });
    expect(sent.map((command) => command.name)).toEqual(['Update', 'TransactWrite', 'TransactWrite']);
  });

  it('at an outdated revision throws the error of a defect', async () => {
    const { outcome } = await update({ ...both, revisions: [2] }, [
      refused(stored()),
      sdkError('AccessDeniedException', 400),
    ]);
    expect(outcome).toMatchObject({ code: 'AccessDeniedException' });
  });

  it('at an outdated revision is not tried if it takes no identifier', async () => {
    const { outcome, sent } = await update({ fields: { sku: null }, revisions: [2] }, [refused(stored())]);
    expect(outcome).toEqual({ outdatedAt: 3 });
    expect(sent).toHaveLength(1);
  });
});

describe('a quantity without a unit', () => {
  it('is rounded as in most units, on the condition that the item’s unit is one of them', async () => {
    const { outcome, sent } = await update({ unroundedQty: 2.5 }, [
      refused(stored({ unit: 'kg' })),
      done(stored({ qty: 2.5 })),
    ]);
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk) AND unit IN ("un")');
    expect(Object.values(sent[0]?.input.ExpressionAttributeValues)).toContainEqual(3);
    expect(Object.values(sent[1]?.input.ExpressionAttributeValues)).toContainEqual(2.5);
    expect(outcome).toMatchObject({ qty: 2.5 });
  });

  it('in a unit that is newer than the cached account loads the account again', async () => {
    const newer = configuration('acme');
    const unit = { ...newer.Items[2], sk: 'UNIT#ton', code: 'ton' };
    const { sent } = await update({ unroundedQty: 2.5 }, [
      refused(stored({ unit: 'ton' })),
      { Items: [...newer.Items, unit] },
      done(stored({ unit: 'ton', qty: 2.5 })),
    ]);
    expect(sent.map((command) => command.name)).toEqual(['Update', 'Query', 'Update']);
    expect(Object.values(sent[2]?.input.ExpressionAttributeValues)).toContainEqual(2.5);
  });
});

it('an update whose remembered key has expired requires the item as it was read: one of two is done', async () => {
  const key = { key: 'k', sent: {} };
  const expired = keyedUpdateText(keyedUpdate(call, key, beginning - 25 * 60 * 60 * 1_000));
  const { sent } = await update({ fields: { name: 'Table' }, key }, [
    refused({ ...stored(), keyed_1: expired }),
    done(stored()),
  ]);
  expect(conditionOf(sent[1] as Sent)).toBe('attribute_exists(pk) AND revision IN (3)');
});

describe('a keyed change of identifiers that is rebuilt after another writer was faster', () => {
  const key = { key: 'k', sent: {} };
  const move = { fields: { sku: 'T' }, key };
  const now = { Item: stored({ revision: 5 }) };

  it('requires the item as it was read if its key is remembered but has expired', async () => {
    const keyed_1 = keyedUpdateText(keyedUpdate(call, key, beginning - 25 * 60 * 60 * 1_000));
    const faster = cancelled(3, [0], { ...stored({ revision: 4 }), keyed_1 });
    const { sent } = await update(move, [refused({ ...stored(), keyed_1 }), faster, {}]);
    expect(conditionOf(sent[2] as Sent)).toBe('attribute_exists(pk) AND sku = "S" AND revision IN (4)');
  });

  it('still requires that its key is unknown', async () => {
    const faster = cancelled(3, [0], stored({ revision: 4 }));
    const { sent } = await update(move, [refused(stored()), faster, {}, now]);
    expect(conditionOf(sent[2] as Sent)).toMatch(
      /^attribute_exists\(pk\) AND sku = "S"( AND NOT begins_with\(keyed_\d, "\w+"\)){4}$/,
    );
  });
});

describe('custom fields', () => {
  it('that are added require room for them', async () => {
    const { sent } = await update({ set: { a: 1, b: 2 } }, [done(stored())]);
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk) AND size(metadata) <= 98');
  });

  it.each([
    [98, 'size(metadata) <= 98'],
    [99, 'size(metadata) <= 99 AND attribute_exists(metadata.m1)'],
  ])('beside %i others require those there only near the limit, not to block writers', async (of, condition) => {
    const metadata = Object.fromEntries(Array.from({ length: of }, (_, index) => [`m${index}`, 0]));
    const { sent } = await update({ set: { m1: 1, b: 2 } }, [refused(stored({ metadata })), done(stored())]);
    expect(conditionOf(sent[1] as Sent)).toBe(`attribute_exists(pk) AND ${condition}`);
  });

  it('of an item that is full can be exchanged', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`m${index}`, 0]));
    const { sent } = await update({ set: { b: 2 }, remove: ['m1'] }, [refused(stored({ metadata })), done(stored())]);
    expect(conditionOf(sent[1] as Sent)).toBe(
      'attribute_exists(pk) AND size(metadata) <= 100 AND attribute_exists(metadata.m1)',
    );
  });
});
