import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { errors } from '../../lib/item/errors.ts';
import { addUnit } from '../../lib/operator/accounts.ts';
import { issueToken, revokeToken } from '../../lib/operator/tokens.ts';
import { keys } from '../../lib/store/records/keys.ts';
import { bearer, create, update } from '../support/apiRequests.ts';
import { expectItem, expectRefusal, shownItem } from '../support/apiResponses.ts';
import { gatewayEvent } from '../support/gatewayEvent.ts';
import { handlersOf } from '../support/handlers.ts';
import { memoryCatalog } from '../support/memoryCatalog.ts';
import { sampleAccount } from '../support/sampleAccount.ts';
import { startTestApi, type TestApi } from '../support/testApi.ts';
import { acceptedMembers } from './acceptedMembers.ts';
import { refusedCallers } from './refusedCallers.ts';
import type { RefusedCase, Target } from './refusedCase.ts';
import { refusedConditions } from './refusedConditions.ts';
import { onlyOfFirst, refusedFields } from './refusedFields.ts';
import { refusedFraming } from './refusedFraming.ts';
import { refusedKeys } from './refusedKeys.ts';
import { refusedPathIds } from './refusedPathIds.ts';
import { shortened } from './shortened.ts';

let api: TestApi;
let target: Target;

beforeAll(async () => {
  api = await startTestApi();
  target = { ...(await targetItems()), tokens: { ...api.tokens, ...(await refusedTokens()) } };
});
afterAll(() => api.close());

async function targetItems() {
  const { send, tokens, database } = api;
  const item = expectItem(await send(create({ name: 'Chair', sku: 'TARGET' })), shownItem({ sku: 'TARGET' }), 1);
  expectItem(await send(update(item, { value: 2 })), shownItem({ sku: 'TARGET', value: 2 }), 2);
  // Both accounts count from 1, but the first must not come to the id of the second's item.
  const counter = { Item: { ...keys.counter('demo-2'), last: 100000 } };
  await database.put(timedContext(Date.now() + 5_000), counter);
  const foreign = await send(create({ name: 'Chair' }, bearer(tokens.otherAccount)));
  const foreignItem = expectItem(foreign, shownItem({ tax: 2.5 }), 1);
  await addUnit(database, timedContext(Date.now() + 5_000), 'demo-1', onlyOfFirst.unit, 0);
  expectItem(
    await send(create({ name: 'Chair', ...onlyOfFirst })),
    shownItem({ ...onlyOfFirst, category_name: 'Furniture' }),
    1,
  );
  const key = 'used-key';
  expectItem(await send(create({ name: 'Chair' }, { 'idempotency-key': key })), shownItem(), 1);
  return { item, foreignItem, key };
}

async function refusedTokens() {
  const { database, tokens } = api;
  const now = Date.now();
  const work = timedContext(now + 5_000);
  const issue = (expiresAt: number) =>
    issueToken(database, work, { account: 'demo-1', user: 'ann', permissions: ['catalog:edit'], expiresAt }, now);
  const [expired, revoked] = await Promise.all([now / 1000 - 1, now / 1000 + 60].map(Math.floor).map(issue));
  if (expired === undefined || revoked === undefined) throw new Error('No tokens');
  await revokeToken(database, work, 'demo-1', revoked.entry.id);
  const last = tokens.editor.at(-1) === '0' ? '1' : '0';
  return {
    unknown: createToken(),
    wrongChecksum: tokens.editor.slice(0, -1) + last,
    revoked: revoked.token,
    expired: expired.token,
  };
}

function isRefused(cases: readonly RefusedCase[]): void {
  let before: Awaited<ReturnType<TestApi['records']>>;
  beforeAll(async () => {
    before = await api.records();
  });

  const titled = cases.map(
    ({ title, ...refused }) => [`${refused.status} ${refused.code}: ${title}`, refused] as const,
  );
  it.each(titled)('%s', async (_, { request, ...refusal }) => {
    expectRefusal(await api.send(request(target)), refusal);
    expect(await api.records()).toEqual(before);
  });
}

describe('a caller is refused', () => isRefused(refusedCallers));
describe('a request is refused for how it is sent', () => isRefused(refusedFraming));
describe('a value of a field is refused', () => isRefused(refusedFields));
describe('a condition is refused', () => isRefused(refusedConditions));
describe('an Idempotency-Key is refused', () => isRefused(refusedKeys));

describe('a body that the gateway passes on in base64', () => {
  const sendBase64 = (body: string) =>
    handlersOf(memoryCatalog(sampleAccount).catalog).create(gatewayEvent({ body, isBase64Encoded: true }));

  it('is accepted when it is good', async () => {
    const { status, body } = await sendBase64(Buffer.from('{"name":"Chair"}').toString('base64'));
    expect({ status, body }).toMatchObject({ status: 201, body: { data: { name: 'Chair' } } });
  });

  it.each(['e30', 'e30*', '{"name":"Chair"}', '===='])('is refused when it is %s', async (text) => {
    const { status, body } = await sendBase64(text);
    const { message } = errors.INVALID_JSON;
    expect({ status, body }).toEqual({ status: 400, body: { error: { message, code: 'INVALID_JSON' } } });
  });
});

describe('a path id is no item', () => {
  isRefused(refusedPathIds);

  it('and all of them are answered with the same bytes', async () => {
    const answers = new Set<string>();
    for (const { request } of refusedPathIds) {
      const { status, headers, text } = await api.send(request(target));
      const { 'x-request-id': _, ...others } = headers;
      answers.add(JSON.stringify([status, others, text]));
    }
    expect([...answers]).toHaveLength(1);
  });
});

describe('a value of a field is accepted', () => {
  const changed = shownItem({
    name: 'Table',
    type: 'service',
    category: 2,
    category_name: 'Furniture',
    value: 7.5,
    qty: 3,
    unit: 'hour',
    description: 'Old',
    active: false,
    cost: 1.25,
    tax: 0.5,
    tag: 'old',
  });
  const { category_name: _, ...sent } = changed;

  const titled = acceptedMembers.map(([members, shown]) => [shortened(members), members, shown] as const);

  it.each(titled)('create with %s', async (_, members, shown) => {
    const name = members.startsWith('"name"') ? '' : '"name":"Chair",';
    const item = shownItem(shown);
    const id = expectItem(await api.send(create(`{${name}${members}}`)), item, 1);
    expectItem(await api.send(update(id, { metadata: null })), item, 2);
  });

  it.each(titled)('update with %s', async (_, members, shown) => {
    const id = expectItem(await api.send(create(sent)), changed, 1);
    const item = { ...changed, ...shown };
    expectItem(await api.send(update(id, `{${members}}`)), item, 2);
    expectItem(await api.send(update(id, { metadata: null })), item, 3);
  });

  it.each(['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'APPLICATION/JSON'])(
    'sent as %s',
    async (type) => {
      const headers = { 'content-type': type };
      const id = expectItem(await api.send(create({ name: 'Chair' }, headers)), shownItem(), 1);
      expectItem(await api.send(update(id, { value: 1 }, headers)), shownItem({ value: 1 }), 2);
    },
  );

  it('beside 1,000 unknown and the response-only fields', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, index]));
    const ignored = { ...unknown, id: 1, category_name: 'None', create_date: 'never', revision: 9 };
    const id = expectItem(await api.send(create({ ...ignored, name: 'Chair' })), shownItem(), 1);
    expectItem(await api.send(update(id, { ...ignored, value: 1 })), shownItem({ value: 1 }), 2);
  });

  it.each([
    ['the current revision', '"1"'],
    ['a star', '*'],
    ['a list with the current revision', 'W/"1", "7","1"'],
    ['the current revision in the second of two headers', ['"7"', '"1"']],
  ])('If-Match with %s', async (_title, value) => {
    const id = expectItem(await api.send(create({ name: 'Chair' })), shownItem(), 1);
    expectItem(await api.send(update(id, { value: 1 }, { 'if-match': value })), shownItem({ value: 1 }), 2);
  });
});
