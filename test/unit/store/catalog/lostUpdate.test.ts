import { describe, expect, it } from 'vitest';
import { timeouts } from '../../../../lib/catalog/timeouts.ts';
import { RetryBudget } from '../../../../lib/store/database/retryPolicy.ts';
import { keyedUpdate, keyedUpdateText } from '../../../../lib/store/records/idempotencyRecord.ts';
import { beginning, type Reply, type Sent } from '../../../support/standIns/scripted.ts';
import {
  call,
  conditionOf,
  container,
  done,
  lost,
  refused,
  stored,
  type Update,
  unavailable,
  update,
  updateIn,
} from '../../../support/standIns/scriptedUpdate.ts';
import { sdkError } from '../../../support/standIns/sdkError.ts';

const name: Update = { fields: { name: 'Table' } };
const underRevision: Update = { ...name, revisions: [3] };
/** Refused at first, because the stored identifiers differ. */
const codes: Update = { fields: { sku: 'T' } };
const keyedName: Update = { ...name, key: { key: 'k', sent: { name: 'Table' } } };
const keyedCodes: Update = { ...codes, key: { key: 'k', sent: { sku: 'T' } } };
const remembering = ({ key }: Update) => ({ keyed_1: key && keyedUpdateText(keyedUpdate(call, key, beginning)) });

/** The item as a fence returns it, written by another request at the same time unless given otherwise. */
const fenced = (revision: number, at = beginning) => done(stored({ revision }, { at }));
/** The item with the write whose response was lost. */
const landed = done(stored({ revision: 4 }, { by: call, at: beginning }));
const margin = 3 * timeouts.clockSkew;
const unknown = unavailable('UnknownOutcome');

describe('an update whose response was lost', () => {
  it.each<[string, Update, Reply[], outcome: object]>([
    ['succeeded if the fenced item has its write id', name, [landed], { revision: 4 }],
    [
      'succeeded, also if another request has fenced it later',
      name,
      [refused(stored({ revision: 4 }, { by: call }))],
      { revision: 4 },
    ],
    [
      'succeeded if the fenced item remembers its key, even if others have written since',
      keyedName,
      [done({ ...stored({ revision: 9 }, { at: beginning }), ...remembering(keyedName) })],
      { revision: 9 },
    ],
    ['did not land if the item is at its first or second revision', name, [fenced(2), fenced(3)], { revision: 3 }],
    ['is fenced again if the response to the fence is lost', name, [lost, landed], { revision: 4 }],
    [
      'throws the error of its fence',
      name,
      [sdkError('AccessDeniedException', 400)],
      { code: 'AccessDeniedException' },
    ],
    ['is unknown if another request may have overwritten it', name, [fenced(3, beginning - margin)], unknown],
    [
      'is unknown if a write of an older version may hide it',
      name,
      [done({ ...stored(), written_at: 0, sent_at: beginning })],
      unknown,
    ],
    ['is unknown if there is no item, which may be created before it lands', name, [refused(undefined)], unknown],
    ['succeeded under its revision', underRevision, [done(stored({ revision: 4 }, { by: call }))], { revision: 4 }],
    ['did not land if the revision after its own is another request’s', underRevision, [fenced(4)], { outdatedAt: 4 }],
    ['is unknown if others have written more than once since its revision', underRevision, [fenced(5)], unknown],
    [
      'is unknown if it may have landed at one of several revisions',
      { ...name, revisions: [3, 9] },
      [fenced(5)],
      unknown,
    ],
    [
      'is rejected like any other if no item can be at its revisions',
      { ...name, revisions: [0] },
      [fenced(3)],
      { outdatedAt: 3 },
    ],
  ])('%s', async (_case, requested, replies, outcome) => {
    const { sent, ...result } = await update(requested, [lost, ...replies]);
    expect(result.outcome).toMatchObject(outcome);
    expect(sent).toHaveLength(1 + replies.length);
  });

  it('can never land after the fence, which is raised to its time of sending', async () => {
    const { sent } = await update(name, [lost, landed]);
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

  it('is sent again, later than the fence, if nobody can have written since', async () => {
    const unwritten = { ...stored({}, { at: beginning - margin - 1 }), closed_until: beginning + 100 };
    const { outcome, sent } = await update(name, [lost, done(unwritten), done(stored({ revision: 4 }))]);
    expect(outcome).toMatchObject({ revision: 4 });
    expect(Object.values(sent[2]?.input.ExpressionAttributeValues)).toContain(beginning + 101);
  });

  it('takes a retry from the budget, and returns it when the fence succeeds', async () => {
    const updates = Array.from({ length: 2 * RetryBudget.full }, () => [lost, landed]);
    const opened = await container(updates.flat());
    for (const _ of updates) expect(await updateIn(opened, name)).toMatchObject({ revision: 4 });
  });
});

it('an update under revisions has a known outcome if no response was lost', async () => {
  const { outcome } = await update(underRevision, [refused(stored({ revision: 5 }))]);
  expect(outcome).toEqual({ outdatedAt: 5 });
});

describe('a second write whose response was lost', () => {
  it.each<[string, Update, Reply, outcome: object]>([
    ['is not sent again: the fenced item shows whether it landed', codes, landed, { revision: 4 }],
    ['is unknown if others have written more than once since', codes, fenced(5), unknown],
    [
      'succeeded if the fenced item remembers its key, even if others have written more than once since',
      keyedCodes,
      done({ ...stored({ revision: 6 }, { at: beginning }), ...remembering(keyedCodes) }),
      { revision: 6 },
    ],
  ])('%s', async (_case, requested, fence, outcome) => {
    const { sent, ...result } = await update(requested, [refused(stored()), lost, fence]);
    expect(result.outcome).toMatchObject(outcome);
    expect(sent.map((command) => command.name)).toEqual(['Update', 'TransactWrite', 'Update']);
  });

  it('did not land if the next revision is another request’s, and is rebuilt from that', async () => {
    const read = { Item: stored({ revision: 5 }) };
    const { outcome, sent } = await update(codes, [refused(stored()), lost, fenced(4), {}, read]);
    expect(outcome).toMatchObject({ revision: 5 });
    expect(conditionOf(sent[3] as Sent)).toBe('attribute_exists(pk) AND sku = "S"');
  });
});
