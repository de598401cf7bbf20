import { describe, expect, it } from 'vitest';
import { Pace } from '../../../lib/operator/verification/rateLimiter.ts';
import type { CodeFinding, Finding, SeenItem } from '../../../lib/operator/verification/recheck.ts';
import { mend } from '../../../lib/operator/verification/repair.ts';
import type { Attributes } from '../../../lib/store/database/attributes.ts';
import type { Key } from '../../../lib/store/records/keys.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../../lib/store/records/parseKey.ts';
import { sdkError } from '../../faults/faultyClient.ts';
import type { Reply, Sent } from '../../support/scripted.ts';
import { scripted } from '../../support/scripted.ts';
import { guard, item } from '../../support/storedRecords.ts';

const seen = (id: number, parts: Partial<SeenItem> = {}): SeenItem => ({
  id,
  state: 'readable',
  revision: 3,
  hasCode: false,
  ...parts,
});
const finding = (kind: CodeFinding['kind'], owner: number | null, items: readonly SeenItem[]): CodeFinding => ({
  kind,
  account: 'acme',
  name: 'sku',
  code: 'S1',
  owner,
  items,
});
const behind = (highest: number): Finding => ({ kind: 'id above counter', account: 'acme', highest, last: 10 });
const refused = sdkError('TransactionCanceledException', 400, {
  CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
});

/** Mends before replies, in a table that holds these records whenever it is looked at again. */
async function mending(what: Finding, replies: readonly Reply[], stored: readonly Attributes[] = []) {
  const { database, sent } = scripted(replies);
  const get = async (key: Key) => stored.find((record) => isSameKey(keyIn(record), key));
  const records = { get, query: async () => [] };
  const pace = new Pace(1_000_000, database.world);
  return { outcome: mend(database, records, pace, what), sent, pace };
}

/** The parts of a transaction in a few words each. */
const partsOf = ({ input }: Sent): string[] =>
  input.TransactItems.map((part: Record<string, Part>) => {
    const [[name, { Key, Item, ConditionExpression, ...rest }] = ['', {} as Part]] = Object.entries(part);
    const { pk, sk } = { ...Key, ...Item } as Record<string, { S: string }>;
    const condition = Object.entries(rest.ExpressionAttributeValues ?? {}).reduce(
      (text, [placeholder, { N }]) => text.replace(placeholder, String(N)),
      ConditionExpression.replace(/#\w+/g, (placeholder) => rest.ExpressionAttributeNames[placeholder] ?? '?'),
    );
    const owner = Item?.['item_id'] && ` of ${Item['item_id'].N}`;
    return `${name} ${pk?.S} ${sk?.S}${owner ?? ''} if ${condition}`;
  });
interface Part {
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, { N: string }>;
}

const itemAt = (id: number) => `ConditionCheck ACCOUNT#acme#ITEMS ${keys.item('acme', id).sk}`;
const theGuard = 'ACCOUNT#acme#SKU#S1 GUARD';

describe('mending holds only while everything is as it was seen', () => {
  it.each<[string, CodeFinding, string[]]>([
    [
      'a missing guard',
      finding('guard missing', null, [seen(1, { hasCode: true }), seen(2)]),
      [`${itemAt(1)} if revision = 3`, `Put ${theGuard} of 1 if attribute_not_exists(pk) OR item_id = 1`],
    ],
    [
      'a guard of an item that is not there',
      finding('guard orphaned', 9, [seen(9, { state: 'absent', revision: 0 })]),
      [`${itemAt(9)} if attribute_not_exists(pk)`, `Delete ${theGuard} if attribute_not_exists(pk) OR item_id = 9`],
    ],
    [
      'a guard of an item without the code',
      finding('guard orphaned', 9, [seen(8), seen(9, { revision: 4 })]),
      [`${itemAt(9)} if revision = 4`, `Delete ${theGuard} if attribute_not_exists(pk) OR item_id = 9`],
    ],
    [
      'a guard that names another than has the code',
      finding('guard astray', 9, [seen(1, { hasCode: true }), seen(5), seen(9, { revision: 2 })]),
      [
        `${itemAt(1)} if revision = 3`,
        `${itemAt(9)} if revision = 2`,
        `Put ${theGuard} of 1 if attribute_not_exists(pk) OR item_id = 9`,
      ],
    ],
  ])('%s', async (_case, what, parts) => {
    const { outcome, sent } = await mending(what, [{}]);
    expect(await outcome).toEqual({ mended: [what], left: undefined });
    expect(sent.map(partsOf)).toEqual([parts]);
  });

  it('a counter, which is raised and never lowered', async () => {
    const { outcome, sent } = await mending(
      behind(40),
      [sdkError('TimeoutError', undefined), { Attributes: {} }],
      [{ pk: { S: 'ACCOUNT#acme#COUNTER' }, sk: { S: 'ITEM' }, last: { N: '40' } }],
    );
    expect(await outcome).toEqual({ mended: [behind(40)], left: undefined });
    expect(sent.map(({ input }) => [input.UpdateExpression, input.ConditionExpression])).toEqual(
      Array(2).fill(['SET #last = :highest', 'attribute_not_exists(#last) OR #last < :highest']),
    );
    expect(sent[0]?.input).toMatchObject({
      Key: { pk: { S: 'ACCOUNT#acme#COUNTER' }, sk: { S: 'ITEM' } },
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':highest': { N: '40' } },
    });
  });
});

describe('what takes a decision is left to a person', () => {
  it.each<[string, Finding]>([
    [
      'a code that two items have',
      finding('code doubled', 1, [seen(1, { hasCode: true }), seen(2, { hasCode: true })]),
    ],
    ['a code that is written all the time', finding('code unsettled', null, [])],
    [
      'a code of items of which one cannot be read',
      finding('guard astray', 9, [seen(1, { hasCode: true }), seen(9, { state: 'unreadable' })]),
    ],
    [
      'a record that cannot be read',
      { kind: 'unreadable record', key: keys.counter('acme'), problem: 'cannot be read' },
    ],
    ['an id that no counter can have given out', behind(Math.floor(Number.MAX_SAFE_INTEGER / 2) + 1)],
  ])('%s', async (_case, what) => {
    const { outcome, sent, pace } = await mending(what, []);
    expect(await outcome).toEqual({ mended: [], left: what });
    expect([sent, pace.spent]).toEqual([[], 0]);
  });

  it('but not the highest id that one can', async () => {
    const highest = Math.floor(Number.MAX_SAFE_INTEGER / 2);
    const raised = { pk: { S: 'ACCOUNT#acme#COUNTER' }, sk: { S: 'ITEM' }, last: { N: String(highest) } };
    const { outcome, sent } = await mending(behind(highest), [{ Attributes: {} }], [raised]);
    expect(await outcome).toEqual({ mended: [behind(highest)], left: undefined });
    expect(sent).toHaveLength(1);
  });
});

describe('mending that is refused', () => {
  const missing = finding('guard missing', null, [seen(1, { hasCode: true, revision: 1 })]);
  const bare = item('acme', 1, { pn: 'P1' });

  it('looks again, and mends what it then finds', async () => {
    const stored: Attributes[] = [{ ...bare, revision: { N: '2' } }];
    const done: Reply = () => {
      stored.push(guard('acme', 'sku', 'S1', 1));
      return {};
    };
    const { outcome, sent, pace } = await mending(missing, [refused, done], stored);
    const again = finding('guard missing', null, [seen(1, { hasCode: true, revision: 2 })]);
    expect(await outcome).toEqual({ mended: [again], left: undefined });
    expect(sent.map((command) => partsOf(command)[0])).toEqual([1, 2].map((at) => `${itemAt(1)} if revision = ${at}`));
    expect(pace.spent).toBe(8);
  });

  it('finds nothing more when somebody else has mended it', async () => {
    const { outcome, sent } = await mending(missing, [refused], [bare, guard('acme', 'sku', 'S1', 1)]);
    expect(await outcome).toEqual({ mended: [], left: undefined });
    expect(sent).toHaveLength(1);
  });

  it('gives up after five times', async () => {
    const { outcome, sent } = await mending(missing, Array(9).fill(refused), [bare]);
    expect(await outcome).toEqual({ mended: [], left: missing });
    expect(sent).toHaveLength(5);
  });

  it('on a defect fails so', async () => {
    const { outcome } = await mending(missing, [sdkError('AccessDeniedException', 400)]);
    await expect(outcome).rejects.toThrow('AccessDenied');
  });
});
