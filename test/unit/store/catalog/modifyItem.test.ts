import { describe, expect, it } from 'vitest';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import type { CatalogError } from '../../../../lib/item/errors.ts';
import type { ItemFields } from '../../../../lib/item/fields.ts';
import type { Item, ItemChange } from '../../../../lib/item/item.ts';
import { AccountCache } from '../../../../lib/store/catalog/accountCache.ts';
import { modifyItem } from '../../../../lib/store/catalog/modifyItem.ts';
import { RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';
import { newItemRecord } from '../../../../lib/store/records/itemRecord.ts';
import { resolved } from '../../../support/resolved.ts';
import type { Reply, Sent } from '../../../support/scripted.ts';
import { beginning, configuration, scripted } from '../../../support/scripted.ts';
import { sdkError } from '../../../support/sdkError.ts';
import { itemFields, testCall } from '../../../support/testTable.ts';

const call = { ...testCall('acme'), deadline: beginning + 8_000 };
const other = { ...call, writeId: 'of another' };

/** The stored item, written by another request long ago unless given otherwise. */
function stored(parts: Partial<Item> = {}, { by = other, at = 0 } = {}) {
  const item = { ...itemFields({ sku: 'S', pn: 'P' }), id: 7, revision: 3, createdAt: 0, ...parts };
  return { ...newItemRecord(by, item), written_at: at, sent_at: at };
}

const lost = sdkError('TimeoutError', undefined);
const refused = (Item: object | undefined) =>
  sdkError('ConditionalCheckFailedException', 400, Item === undefined ? {} : { Item });
const done = (Attributes: object) => ({ Attributes });
/** A transaction whose parts at these positions failed. A failed update returns the item, a guard its owner. */
const cancelled = (length: number, failed: readonly number[], Item: object = stored()) =>
  sdkError('TransactionCanceledException', 400, {
    CancellationReasons: Array.from({ length }, (_, place) =>
      failed.includes(place)
        ? { Code: 'ConditionalCheckFailed', Item: place === 0 ? Item : { item_id: 20 + place } }
        : { Code: 'None' },
    ),
  });

interface Asked {
  readonly fields?: Partial<ItemFields>;
  readonly unroundedQty?: number;
  readonly set?: Readonly<Record<string, number>>;
  readonly revisions?: readonly number[];
}

/** A container. Its first message, the query for the account, is answered before the replies. */
async function container(replies: readonly Reply[]) {
  const { database, sent, waits } = scripted([configuration('acme'), ...replies]);
  const accounts = new AccountCache();
  await accounts.get(database.for(call));
  return { database, accounts, sent, waits };
}

async function updateIn(
  { database, accounts }: Awaited<ReturnType<typeof container>>,
  { fields = {}, unroundedQty, set = {}, revisions }: Asked,
) {
  const change: ItemChange = {
    fields,
    metadata: { set, remove: [] },
    ...(unroundedQty !== undefined && { unroundedQty }),
  };
  const account = await accounts.get(database.for(call));
  const updated = modifyItem(database.for(call), accounts, { id: 7, change, revisions, account });
  return updated.then(
    ({ item: { revision, qty }, isOutdated }) => (isOutdated ? { outdatedAt: revision } : { revision, qty }),
    ({ code, name, cause, fields }: Partial<CatalogError> & { name: string; cause?: Error }) => ({
      code: code ?? name,
      cause: cause?.name,
      ...(fields && { taken: fields.map(({ field, item }) => [field, item]) }),
    }),
  );
}

/** Sends an update to a new container. */
async function update(asked: Asked, replies: readonly Reply[]) {
  const opened = await container(replies);
  const outcome = await updateIn(opened, asked);
  return { outcome, sent: opened.sent.slice(1), waits: opened.waits };
}

/** The condition of an update, alone or in a transaction, with its placeholders replaced. */
function conditionOf({ input }: Sent): string {
  const { ConditionExpression: condition } = resolved(input.TransactItems?.[0].Update ?? input);
  // Every write requires that no fence closes the item and no write is newer. Tests of that assert it separately.
  return condition
    .replace(/ AND \(attribute_not_exists\(closed_until\) OR closed_until < \d+\)/, '')
    .replace(/ AND written_at <= \d+/, '');
}

const guardsOf = ({ input }: Sent): string[] =>
  input.TransactItems.slice(1).map(
    ({ Put, Delete }: { Put?: { Item: { pk: string } }; Delete?: { Key: { pk: string } } }) =>
      Put === undefined ? `free ${Delete?.Key.pk}` : `take ${Put.Item.pk}`,
  );

const unavailable = (cause: string) => ({ code: 'SERVICE_UNAVAILABLE', cause });

describe('an update whose answer was lost', () => {
  const name = { fields: { name: 'Table' } };

  it('succeeded if the fenced item has its write id', async () => {
    const { outcome, sent } = await update(name, [lost, done(stored({ revision: 4 }, { by: call, at: beginning }))]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(sent).toHaveLength(2);
  });

  it('can never land after the fence, which is raised to its time of sending', async () => {
    const { sent } = await update(name, [lost, done(stored({ revision: 4 }, { by: call, at: beginning }))]);
    const [first, fence] = sent.map(({ input }) => input);
    expect(first.ConditionExpression).toMatch(/\(attribute_not_exists\((#\d+)\) OR \1 < :\d+\)/);
    expect(Object.values(first.ExpressionAttributeNames)).toContain('closed_until');
    expect(fence).toMatchObject({
      Key: first.Key,
      UpdateExpression: 'SET #1 = :1',
      ConditionExpression: 'attribute_exists(#0) AND (attribute_not_exists(#1) OR #1 < :0)',
      ExpressionAttributeNames: { '#0': 'pk', '#1': 'closed_until' },
      ExpressionAttributeValues: { ':0': beginning, ':1': beginning },
    });
  });

  it('is also resolved by an item that another request has fenced later', async () => {
    const { outcome } = await update(name, [lost, refused(stored({ revision: 4 }, { by: call, at: beginning }))]);
    expect(outcome).toMatchObject({ revision: 4 });
  });

  const margin = 3 * timeouts.clockSkew;

  it('is sent again, later than the fence, if nobody can have written since', async () => {
    const at = beginning - margin - 1;
    const fenced = { ...stored({}, { at }), closed_until: beginning + 100 };
    const { outcome, sent } = await update(name, [lost, done(fenced), done(stored({ revision: 4 }))]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(Object.values(sent[2]?.input.ExpressionAttributeValues)).toContain(beginning + 101);
  });

  it('did not land if the item is at its first or second revision', async () => {
    const second = done(stored({ revision: 2 }, { at: beginning }));
    const { outcome } = await update(name, [lost, second, done(stored({ revision: 3 }))]);
    expect(outcome).toMatchObject({ revision: 3 });
  });

  it('has an unknown outcome if a write of an older version may hide it', async () => {
    const hidden = { ...stored(), written_at: 0, sent_at: beginning };
    expect((await update(name, [lost, done(hidden)])).outcome).toEqual(unavailable('UnknownOutcome'));
  });

  it('has an unknown outcome if another request may have overwritten it', async () => {
    const at = beginning - margin;
    const { outcome, sent } = await update(name, [lost, done(stored({}, { at }))]);
    expect(outcome).toEqual(unavailable('UnknownOutcome'));
    expect(sent).toHaveLength(2);
  });

  it('has an unknown outcome if there is no item, because that may be created before the message lands', async () => {
    expect((await update(name, [lost, refused(undefined)])).outcome).toEqual(unavailable('UnknownOutcome'));
  });

  it('is fenced again if the answer to the fence is lost', async () => {
    const landed = done(stored({ revision: 4 }, { by: call, at: beginning }));
    const { outcome, waits } = await update(name, [lost, lost, landed]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(waits).toEqual([25, 25]);
  });

  it('throws the error of its fence', async () => {
    const { outcome } = await update(name, [lost, sdkError('AccessDeniedException', 400)]);
    expect(outcome).toMatchObject({ code: 'AccessDeniedException' });
  });

  it('takes a retry from the budget, and returns it when the fence succeeds', async () => {
    const landed = done(stored({ revision: 4 }, { by: call, at: beginning }));
    const updates = Array.from({ length: 2 * RetryBudget.full }, () => [lost, landed]);
    const opened = await container(updates.flat());
    for (const _ of updates) expect(await updateIn(opened, name)).toMatchObject({ revision: 4 });
  });
});

describe('an update under revisions whose answer was lost', () => {
  const asked = { fields: { name: 'Table' }, revisions: [3] };

  it('succeeded if the fenced item has its write id', async () => {
    const { outcome } = await update(asked, [lost, done(stored({ revision: 4 }, { by: call }))]);
    expect(outcome).toMatchObject({ revision: 4 });
  });

  it('did not land if the next revision is another request’s', async () => {
    const { outcome } = await update(asked, [lost, done(stored({ revision: 4 }, { at: beginning }))]);
    expect(outcome).toEqual({ outdatedAt: 4 });
  });

  it('has an unknown outcome if others have written more than once since', async () => {
    const { outcome } = await update(asked, [lost, done(stored({ revision: 5 }, { at: beginning }))]);
    expect(outcome).toEqual(unavailable('UnknownOutcome'));
  });

  it('has an unknown outcome if it may have landed at one of several', async () => {
    const several = { ...asked, revisions: [3, 9] };
    const { outcome } = await update(several, [lost, done(stored({ revision: 5 }, { at: beginning }))]);
    expect(outcome).toEqual(unavailable('UnknownOutcome'));
  });

  it('is rejected like any other if no item can be at its revisions', async () => {
    const { outcome } = await update({ ...asked, revisions: [0] }, [lost, done(stored({}, { at: beginning }))]);
    expect(outcome).toEqual({ outdatedAt: 3 });
  });

  it('has a known outcome if no answer was lost', async () => {
    const { outcome } = await update(asked, [refused(stored({ revision: 5 }))]);
    expect(outcome).toEqual({ outdatedAt: 5 });
  });
});

describe('a second write whose answer was lost', () => {
  /** Refused at first, because the stored identifiers differ. */
  const codes = { fields: { sku: 'T' } };

  it('is not sent again: the fenced item shows whether it landed', async () => {
    const landed = done(stored({ revision: 4, sku: 'T' }, { by: call, at: beginning }));
    const { outcome, sent } = await update(codes, [refused(stored()), lost, landed]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(sent.map((command) => command.name)).toEqual(['Update', 'TransactWrite', 'Update']);
    expect(sent[2]?.input.UpdateExpression).toBe('SET #1 = :1');
  });

  it('has an unknown outcome if others have written more than once since', async () => {
    const { outcome } = await update(codes, [
      refused(stored()),
      lost,
      done(stored({ revision: 5 }, { at: beginning })),
    ]);
    expect(outcome).toEqual(unavailable('UnknownOutcome'));
  });

  it('did not land if the next revision is another request’s, and is rebuilt from that', async () => {
    const moved = done(stored({ revision: 4 }, { at: beginning }));
    const { outcome, sent } = await update(codes, [
      refused(stored()),
      lost,
      moved,
      {},
      { Item: stored({ revision: 5 }) },
    ]);
    expect(outcome).toMatchObject({ revision: 5 });
    expect(conditionOf(sent[3] as Sent)).toBe('attribute_exists(pk) AND sku = "S"');
  });
});

describe('an item that was last written in the future, by a clock that is far ahead', () => {
  it('accepts the second write, which is not sent before the last', async () => {
    const hourAhead = beginning + 3_600_000;
    const ahead = stored({}, { at: hourAhead });
    const { sent } = await update({ fields: { name: 'Table' } }, [refused(ahead), done(stored({ revision: 4 }))]);
    expect(sent[0]?.input.ConditionExpression).toMatch(/ AND #\d+ <= :\d+$/);
    expect(Object.values(sent[0]?.input.ExpressionAttributeValues)).toContain(beginning + timeouts.clockSkew);
    expect(Object.values(sent[1]?.input.ExpressionAttributeValues)).toContain(hourAhead + timeouts.clockSkew);
  });
});

describe('an item that is fenced in the future, by a clock that is ahead', () => {
  it('accepts the second write, which is later than the fence', async () => {
    const closed_until = beginning + 4_000;
    const { outcome, sent } = await update({ fields: { name: 'Table' } }, [
      refused({ ...stored(), closed_until }),
      done(stored({ revision: 4 })),
    ]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(Object.values(sent[1]?.input.ExpressionAttributeValues)).toContain(closed_until + 1);
  });
});

describe('an update that fails', () => {
  it('because there is no item gets 404', async () => {
    expect((await update({}, [refused(undefined)])).outcome).toMatchObject({ code: 'ITEM_NOT_FOUND' });
  });

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

  it.each([
    [[1], [['sku', 21]]],
    [[2], [['pn', 22]]],
    [
      [1, 2, 3, 4],
      [
        ['sku', 21],
        ['pn', 22],
      ],
    ],
  ])('is a conflict if other items own the guards at %j, and names them', async (places, taken) => {
    const { outcome, sent } = await update(both, [refused(stored()), cancelled(5, places)]);
    expect(outcome).toMatchObject({ code: 'ITEM_ALREADY_EXISTS', taken });
    expect(sent).toHaveLength(2);
  });

  it.each([
    [3, ['free ACCOUNT#acme#PN#P']],
    [4, ['free ACCOUNT#acme#SKU#S']],
  ])('keeps a guard of another item, at position %i, and deletes the rest', async (place, freed) => {
    const { outcome, sent } = await update(both, [refused(stored()), cancelled(5, [place]), {}]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(guardsOf(sent[2] as Sent).slice(2)).toEqual(freed);
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
  ])(
    'at an outdated revision is still tried, because a taken identifier takes precedence: %j',
    async (failed, refusal) => {
      const { outcome, sent } = await update({ ...both, revisions: [2] }, [refused(stored()), cancelled(5, failed)]);
      expect(outcome).toMatchObject(refusal);
      expect(conditionOf(sent[1] as Sent)).toMatch(/ AND revision IN \(0\)$/);
    },
  );

  it('at an outdated revision is sent again after a lost response, because it can never take effect', async () => {
    const asked = { ...both, revisions: [2] };
    const { outcome, sent } = await update(asked, [refused(stored()), lost, cancelled(5, [0, 1])]);
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

  it('that is whole needs no condition', async () => {
    const { sent } = await update({ unroundedQty: 4 }, [done(stored({ qty: 4 }))]);
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk)');
    expect(Object.values(sent[0]?.input.ExpressionAttributeValues)).toContainEqual(4);
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

  it('is not written if none was sent', async () => {
    const { sent } = await update({ fields: { sku: 'T' } }, [refused(stored()), {}]);
    for (const command of sent) {
      const names =
        command.input.TransactItems?.[0].Update.ExpressionAttributeNames ?? command.input.ExpressionAttributeNames;
      expect(Object.values(names)).not.toContain('qty');
    }
  });
});

describe('custom fields', () => {
  it('that are added require room for them', async () => {
    const { sent } = await update({ set: { a: 1, b: 2 } }, [done(stored())]);
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk) AND size(metadata) <= 98');
  });

  it('near the limit require those that are there, so that writers of other fields do not hold the update up', async () => {
    const metadata = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`m${index}`, 0]));
    const { sent } = await update({ set: { m1: 1, b: 2 } }, [refused(stored({ metadata })), done(stored())]);
    expect(conditionOf(sent[1] as Sent)).toBe(
      'attribute_exists(pk) AND size(metadata) <= 99 AND attribute_exists(metadata.m1)',
    );
  });

  it('that are not changed require nothing', async () => {
    const { sent } = await update({ fields: { name: 'Table' } }, [done(stored())]);
    expect(conditionOf(sent[0] as Sent)).toBe('attribute_exists(pk)');
  });
});
