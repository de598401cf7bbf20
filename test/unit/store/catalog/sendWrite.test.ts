import { describe, expect, it } from 'vitest';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import { RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';
import { keyedUpdate, keyedUpdateText } from '../../../../lib/store/records/idempotencyKey.ts';
import type { Sent } from '../../../support/scripted.ts';
import { beginning } from '../../../support/scripted.ts';
import {
  call,
  conditionOf,
  container,
  done,
  lost,
  refused,
  stored,
  unavailable,
  update,
  updateIn,
} from '../../../support/scriptedUpdate.ts';
import { sdkError } from '../../../support/sdkError.ts';

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

  it('succeeded if the fenced item remembers its key, even if others have written since', async () => {
    const key = { key: 'k', sent: { name: 'Table' } };
    const remembered = { keyed_1: keyedUpdateText(keyedUpdate(call, key, beginning)) };
    const { outcome, sent } = await update({ ...name, key }, [
      lost,
      done({ ...stored({ revision: 9 }, { at: beginning }), ...remembered }),
    ]);
    expect(outcome).toMatchObject({ revision: 9 });
    expect(sent).toHaveLength(2);
  });

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

  it('succeeded if the fenced item remembers its key, even if others have written more than once since', async () => {
    const key = { key: 'k', sent: { sku: 'T' } };
    const remembered = { keyed_1: keyedUpdateText(keyedUpdate(call, key, beginning)) };
    const moved = done({ ...stored({ revision: 6 }, { at: beginning }), ...remembered });
    const { outcome, sent } = await update({ ...codes, key }, [refused(stored()), lost, moved]);
    expect(outcome).toMatchObject({ revision: 6 });
    expect(sent).toHaveLength(3);
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
