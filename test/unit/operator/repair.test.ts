import { describe, expect, it } from 'vitest';
import type { Finding, IdentifierFinding, ItemSnapshot } from '../../../lib/operator/verification/finding.ts';
import { RateLimiter } from '../../../lib/operator/verification/rateLimiter.ts';
import { repair } from '../../../lib/operator/verification/repair.ts';
import type { StoredRecord } from '../../../lib/store/database/documentClient.ts';
import { newAccountRecord } from '../../../lib/store/records/accountRecord.ts';
import type { Key } from '../../../lib/store/records/keys.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isSameKey, keyIn } from '../../../lib/store/records/parseKey.ts';
import type { Reply, Sent } from '../../support/scripted.ts';
import { beginning, scripted } from '../../support/scripted.ts';
import { sdkError } from '../../support/sdkError.ts';
import { counter, guard, item } from '../../support/storedRecords.ts';

const seen = (id: number, parts: Partial<ItemSnapshot> = {}): ItemSnapshot => ({
  id,
  state: 'readable',
  revision: 3,
  hasIdentifier: false,
  ...parts,
});
const finding = (
  kind: IdentifierFinding['kind'],
  owner: number | null,
  items: readonly ItemSnapshot[],
): IdentifierFinding => ({
  kind,
  account: 'acme',
  name: 'sku',
  text: 'S1',
  owner,
  items,
});
const behind = (highest: number): Finding => ({ kind: 'id above counter', account: 'acme', highest, last: 10 });
const refused = sdkError('TransactionCanceledException', 400, {
  CancellationReasons: [{ Code: 'ConditionalCheckFailed' }, { Code: 'None' }],
});

/** Repairs with scripted replies, in a table that has these records at each recheck. */
async function run(what: Finding, replies: readonly Reply[], stored: readonly StoredRecord[] = []) {
  const { database, sent } = scripted(replies);
  const get = async (key: Key) => stored.find((record) => isSameKey(keyIn(record), key));
  const records = { get, query: async () => [] };
  const limiter = new RateLimiter(1_000_000, database.clock);
  return { outcome: repair(database, records, limiter, what), sent, limiter };
}

/** The parts of a transaction in a few words each. */
const partsOf = ({ input }: Sent): string[] =>
  input.TransactItems.map((part: Record<string, Part>) => {
    const [[name, { Key, Item, ConditionExpression, ...rest }] = ['', {} as Part]] = Object.entries(part);
    const { pk, sk } = { ...Key, ...Item } as Record<string, string>;
    const condition = Object.entries(rest.ExpressionAttributeValues ?? {}).reduce(
      (text, [placeholder, value]) => text.replace(placeholder, String(value)),
      ConditionExpression.replace(/#\w+/g, (placeholder) => rest.ExpressionAttributeNames[placeholder] ?? '?'),
    );
    const owner = Item?.['item_id'] && ` of ${Item['item_id']}`;
    return `${name} ${pk} ${sk}${owner ?? ''} if ${condition}`;
  });
interface Part {
  readonly Key?: StoredRecord;
  readonly Item?: StoredRecord;
  readonly ConditionExpression: string;
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, number>;
}

const itemAt = (id: number) => `ConditionCheck ACCOUNT#acme#ITEMS ${keys.item('acme', id).sk}`;
const theGuard = 'ACCOUNT#acme#SKU#S1 GUARD';

describe('a repair is conditional on everything that was checked', () => {
  it.each<[string, IdentifierFinding, string[]]>([
    [
      'a missing guard',
      finding('guard missing', null, [seen(1, { hasIdentifier: true }), seen(2)]),
      [`${itemAt(1)} if revision = 3`, `Put ${theGuard} of 1 if attribute_not_exists(pk) OR item_id = 1`],
    ],
    [
      'a guard of an item that does not exist',
      finding('guard orphaned', 9, [seen(9, { state: 'absent', revision: 0 })]),
      [`${itemAt(9)} if attribute_not_exists(pk)`, `Delete ${theGuard} if attribute_not_exists(pk) OR item_id = 9`],
    ],
    [
      'a guard of an item without the identifier',
      finding('guard orphaned', 9, [seen(8), seen(9, { revision: 4 })]),
      [`${itemAt(9)} if revision = 4`, `Delete ${theGuard} if attribute_not_exists(pk) OR item_id = 9`],
    ],
    [
      'a guard that names a different item from the one with the identifier',
      finding('guard mismatched', 9, [seen(1, { hasIdentifier: true }), seen(5), seen(9, { revision: 2 })]),
      [
        `${itemAt(1)} if revision = 3`,
        `${itemAt(9)} if revision = 2`,
        `Put ${theGuard} of 1 if attribute_not_exists(pk) OR item_id = 9`,
      ],
    ],
  ])('%s', async (_case, what, parts) => {
    const { outcome, sent } = await run(what, [{}]);
    expect(await outcome).toEqual({ repaired: [what], remaining: undefined });
    expect(sent.map(partsOf)).toEqual([parts]);
  });

  it('for a counter, which is raised and never lowered', async () => {
    const { outcome, sent } = await run(
      behind(40),
      [sdkError('TimeoutError', undefined), { Attributes: {} }],
      [{ pk: 'ACCOUNT#acme#COUNTER', sk: 'ITEM', last: 40 }],
    );
    expect(await outcome).toEqual({ repaired: [behind(40)], remaining: undefined });
    expect(sent.map(({ input }) => [input.UpdateExpression, input.ConditionExpression])).toEqual(
      Array(2).fill(['SET #last = :last', 'attribute_not_exists(#last) OR #last < :last']),
    );
    expect(sent[0]?.input).toMatchObject({
      Key: { pk: 'ACCOUNT#acme#COUNTER', sk: 'ITEM' },
      ExpressionAttributeNames: { '#last': 'last' },
      ExpressionAttributeValues: { ':last': 40 },
    });
  });
});

describe('repairing one record', () => {
  const key = keys.item('acme', 1);
  const expiring: Finding = { kind: 'expiring record', key };
  const idempotencyKey = keys.idempotency('acme', 'f00');
  const endless: Finding = { kind: 'idempotency record expiry', key: idempotencyKey };
  const above: Finding = { kind: 'category above last', account: 'acme', highest: 4, last: 2 };
  const second = beginning / 1_000;

  it.each<[string, Finding, object]>([
    [
      'keeps it from being deleted, if it is still there',
      expiring,
      {
        Key: key,
        UpdateExpression: 'REMOVE #expiry',
        ConditionExpression: 'attribute_exists(#expiry)',
        ExpressionAttributeNames: { '#expiry': 'expires_at' },
      },
    ],
    [
      'makes an idempotency record expire in 24 hours, if it still never expires',
      endless,
      {
        Key: idempotencyKey,
        UpdateExpression: 'SET #expiry = :end',
        ConditionExpression: 'attribute_exists(#pk) AND (NOT attribute_type(#expiry, :number) OR #expiry > :latest)',
        ExpressionAttributeNames: { '#pk': 'pk', '#expiry': 'expires_at' },
        ExpressionAttributeValues: { ':end': second + 86_400, ':latest': second + 86_405, ':number': 'N' },
      },
    ],
    [
      'raises the last category id, and never lowers it',
      above,
      {
        Key: keys.account('acme'),
        UpdateExpression: 'SET #last = :last',
        ConditionExpression: 'attribute_exists(#pk) AND (attribute_not_exists(#last) OR #last < :last)',
        ExpressionAttributeNames: { '#pk': 'pk', '#last': 'last_category' },
        ExpressionAttributeValues: { ':last': 4 },
      },
    ],
    [
      'lists an item under its name, if it is still at its revision, which stays',
      { kind: 'item not listed', account: 'acme', id: 1, name: 'Écran', revision: 4 },
      {
        Key: key,
        UpdateExpression: 'SET #pk = :pk, #sk = :sk',
        ConditionExpression: '#revision = :revision',
        ExpressionAttributeNames: { '#pk': 'list_pk', '#sk': 'list_sk', '#revision': 'revision' },
        ExpressionAttributeValues: { ':pk': 'ACCOUNT#acme#NAMES', ':sk': 'ecran\t0000000000000001', ':revision': 4 },
      },
    ],
  ])('%s', async (_case, what, update) => {
    const { outcome, sent } = await run(what, [{ Attributes: {} }]);
    expect(await outcome).toEqual({ repaired: [what], remaining: undefined });
    expect(sent.map(({ input }) => input)).toEqual([expect.objectContaining(update)]);
  });

  it.each<[Finding, StoredRecord]>([
    [expiring, { ...item('acme', 1), expires_at: 1 }],
    [endless, { ...idempotencyKey, fingerprint: 'a', item: item('acme', 1) }],
    [above, { ...newAccountRecord('acme'), last_category: 2 }],
    [behind(40), counter('acme', 10)],
    [
      { kind: 'item not listed', account: 'acme', id: 1, name: 'Chair', revision: 1 },
      { ...item('acme', 1), list_sk: 'a' },
    ],
  ])('reports what is still wrong if each write is refused: $kind', async (what, record) => {
    const replies = Array(5).fill(sdkError('ConditionalCheckFailedException', 400));
    const { outcome, sent } = await run(what, replies, [record]);
    expect(await outcome).toEqual({ repaired: [], remaining: what });
    expect(sent).toHaveLength(5);
  });

  it('does nothing if somebody else was faster', async () => {
    for (const what of [expiring, endless, above]) {
      const { outcome, sent } = await run(what, [sdkError('ConditionalCheckFailedException', 400)]);
      expect(await outcome).toEqual({ repaired: [], remaining: undefined });
      expect(sent).toHaveLength(1);
    }
  });
});

describe('findings that need a decision are not repaired', () => {
  it.each<[string, Finding]>([
    [
      'an identifier that two items have',
      finding('duplicate identifier', 1, [seen(1, { hasIdentifier: true }), seen(2, { hasIdentifier: true })]),
    ],
    ['an identifier that changes all the time', finding('identifier unsettled', null, [])],
    [
      'an identifier of items of which one is unreadable',
      finding('guard mismatched', 9, [seen(1, { hasIdentifier: true }), seen(9, { state: 'unreadable' })]),
    ],
    [
      'a record that cannot be read',
      { kind: 'unreadable record', key: keys.counter('acme'), problem: 'cannot be read' },
    ],
    ['a counter near its end', { kind: 'counter near its end', account: 'acme', highest: 1, last: 2 ** 52 + 1 }],
    ['a category above all', { kind: 'category above last', account: 'acme', highest: 2 ** 52 + 1, last: 1 }],
    ['a lost unit', { kind: 'unknown unit', account: 'acme', value: 'kg', items: [1], count: 1 }],
    ['a lost default', { kind: 'default category unknown', account: 'acme', category: 1 }],
    ['a token', { kind: 'token exceeds entry', account: 'acme', sha256: 'f00', excess: ['expiry'] }],
    ['an item that is lost', { kind: 'idempotency record without item', key: keys.idempotency('acme', 'f00'), id: 1 }],
    ['a wrong value', { kind: 'invalid values', key: keys.item('acme', 1), problem: 'has the cost -1' }],
    ['an id that no counter can have leased', behind(Math.floor(Number.MAX_SAFE_INTEGER / 2) + 1)],
  ])('%s', async (_case, what) => {
    const { outcome, sent, limiter } = await run(what, []);
    expect(await outcome).toEqual({ repaired: [], remaining: what });
    expect([sent, limiter.spent]).toEqual([[], 0]);
  });

  it('but the highest id that a counter can be raised to is', async () => {
    const highest = Math.floor(Number.MAX_SAFE_INTEGER / 2);
    const raised = { pk: 'ACCOUNT#acme#COUNTER', sk: 'ITEM', last: highest };
    const { outcome, sent } = await run(behind(highest), [{ Attributes: {} }], [raised]);
    expect(await outcome).toEqual({ repaired: [behind(highest)], remaining: undefined });
    expect(sent).toHaveLength(1);
  });
});

describe('a repair whose condition fails', () => {
  const missing = finding('guard missing', null, [seen(1, { hasIdentifier: true, revision: 1 })]);
  const bare = item('acme', 1, { pn: 'P1' });

  it('rechecks, and repairs what it then finds', async () => {
    const stored: StoredRecord[] = [{ ...bare, revision: 2 }];
    const done: Reply = () => {
      stored.push(guard('acme', 'sku', 'S1', 1));
      return {};
    };
    const { outcome, sent, limiter } = await run(missing, [refused, done], stored);
    const again = finding('guard missing', null, [seen(1, { hasIdentifier: true, revision: 2 })]);
    expect(await outcome).toEqual({ repaired: [again], remaining: undefined });
    expect(sent.map((command) => partsOf(command)[0])).toEqual([1, 2].map((at) => `${itemAt(1)} if revision = ${at}`));
    expect(limiter.spent).toBe(8);
  });

  it('finds nothing if somebody else has repaired it', async () => {
    const { outcome, sent } = await run(missing, [refused], [bare, guard('acme', 'sku', 'S1', 1)]);
    expect(await outcome).toEqual({ repaired: [], remaining: undefined });
    expect(sent).toHaveLength(1);
  });

  it('gives up after five rounds', async () => {
    const { outcome, sent } = await run(missing, Array(9).fill(refused), [bare]);
    expect(await outcome).toEqual({ repaired: [], remaining: missing });
    expect(sent).toHaveLength(5);
  });

  it('fails on a defect', async () => {
    const { outcome } = await run(missing, [sdkError('AccessDeniedException', 400)]);
    await expect(outcome).rejects.toThrow('AccessDenied');
  });
});
