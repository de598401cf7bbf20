import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import { bearer, create, update } from './requests.ts';
import { expectItem, expectRefusal, invalid, type Refusal, shownItem } from './responses.ts';
import { startTestCatalog, type TestCatalog } from './testCatalog.ts';

/** What makes a request wrong. Two faults go together where they do not spoil the same part. */
interface Fault {
  readonly title: string;
  readonly refusal: Refusal;
  readonly caller?: 'nobody' | 'reader';
  readonly id?: 'abc' | '9007199254740991';
  readonly mediaType?: 'text/plain';
  /** Behind the object. */
  readonly padding?: string;
  /** Instead of the object's end. */
  readonly end?: '';
  readonly members?: 'none';
  readonly value?: -1;
  readonly sku?: 'TAKEN';
  readonly ifMatch?: string;
  readonly key?: string;
}

/** In the order in which they are told. */
const faults: readonly Fault[] = [
  { title: 'no token', refusal: { status: 401, code: 'UNAUTHORIZED' }, caller: 'nobody' },
  { title: 'no permission', refusal: { status: 403, code: 'FORBIDDEN' }, caller: 'reader' },
  { title: 'a malformed id', refusal: { status: 404, code: 'ITEM_NOT_FOUND' }, id: 'abc' },
  { title: 'another media type', refusal: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' }, mediaType: 'text/plain' },
  { title: 'too large a body', refusal: { status: 413, code: 'PAYLOAD_TOO_LARGE' }, padding: ' '.repeat(262_144) },
  { title: 'malformed JSON', refusal: { status: 400, code: 'INVALID_JSON' }, end: '' },
  {
    title: 'a malformed If-Match',
    refusal: { status: 400, code: 'INVALID_REQUEST', message: 'Invalid header: If-Match.' },
    ifMatch: 'x',
  },
  {
    title: 'a malformed Idempotency-Key',
    refusal: { status: 400, code: 'INVALID_REQUEST', message: 'Invalid header: Idempotency-Key.' },
    key: 'a b',
  },
  { title: 'no field', refusal: { status: 400, code: 'NOTHING_TO_UPDATE' }, members: 'none' },
  { title: 'an invalid field', refusal: invalid('value'), value: -1 },
  { title: 'a used Idempotency-Key', refusal: { status: 422, code: 'IDEMPOTENCY_KEY_REUSED' }, key: 'USED' },
  { title: 'a missing item', refusal: { status: 404, code: 'ITEM_NOT_FOUND' }, id: '9007199254740991' },
  { title: 'a taken code', refusal: { status: 409, code: 'ITEM_ALREADY_EXISTS' }, sku: 'TAKEN' },
  { title: 'another revision', refusal: { status: 412, code: 'PRECONDITION_FAILED' }, ifMatch: '"7"' },
];

/** Only creates read a key; they have neither an id nor a revision, and without a field they lack the name. */
const ofUpdates = faults.filter(({ key }) => key === undefined);
const ofCreates = faults.filter(({ id, ifMatch, members }) => (id ?? ifMatch ?? members) === undefined);

function goTogether(one: Fault, other: Fault): boolean {
  const { title: _title, refusal: _refusal, ...parts } = one;
  const empty = one.members ?? other.members;
  const full = one.value ?? other.value ?? one.sku ?? other.sku;
  return Object.keys(parts).every((part) => !Object.hasOwn(other, part)) && (empty === undefined || full === undefined);
}

const pairsOf = (some: readonly Fault[]) =>
  some.flatMap((first, index) =>
    some
      .slice(index + 1)
      .filter((second) => goTogether(first, second))
      .map((second) => [first.title, second.title, first, second] as const),
  );

let catalog: TestCatalog;
let item: number;
let before: Record<string, JsonObject>;

beforeAll(async () => {
  catalog = await startTestCatalog();
  expectItem(await catalog.send(create({ name: 'Chair', sku: 'TAKEN' })), shownItem({ sku: 'TAKEN' }), 1);
  item = expectItem(await catalog.send(create({ name: 'Chair' }, { 'idempotency-key': 'USED' })), shownItem(), 1);
  before = await catalog.stored();
});
afterAll(() => catalog.close());

/** A good request but for its faults. */
function requestWith(fault: Omit<Fault, 'title' | 'refusal'>) {
  const { name, value, sku } = { name: 'Table', value: fault.value ?? 2, sku: fault.sku ?? 'FREE' };
  const object = JSON.stringify(fault.members === 'none' ? {} : { name, value, sku });
  const body = object.slice(0, -1) + (fault.end ?? '}') + (fault.padding ?? '');
  const authorization = { nobody: { authorization: undefined }, reader: bearer(catalog.tokens.reader) };
  const headers = {
    'content-type': fault.mediaType ?? 'application/json',
    'if-match': fault.ifMatch,
    'idempotency-key': fault.key,
    ...(fault.caller && authorization[fault.caller]),
  };
  return { body, headers, id: fault.id ?? item };
}

describe('an update that is wrong in two ways', () => {
  it.each(pairsOf(ofUpdates))('tells of %s before %s', async (_first, _second, first, second) => {
    const { id, body, headers } = requestWith({ ...first, ...second });
    expectRefusal(await catalog.send(update(id, body, headers)), first.refusal);
    expect(await catalog.stored()).toEqual(before);
  });
});

describe('a create that is wrong in two ways', () => {
  it.each(pairsOf(ofCreates))('tells of %s before %s', async (_first, _second, first, second) => {
    const { body, headers } = requestWith({ ...first, ...second });
    expectRefusal(await catalog.send(create(body, headers)), first.refusal);
    expect(await catalog.stored()).toEqual(before);
  });
});

describe('the faults one by one', () => {
  it.each(ofUpdates.map((fault) => [fault.title, fault] as const))('of an update: %s', async (_, fault) => {
    const { id, body, headers } = requestWith(fault);
    expectRefusal(await catalog.send(update(id, body, headers)), fault.refusal);
    expect(await catalog.stored()).toEqual(before);
  });

  it.each(ofCreates.map((fault) => [fault.title, fault] as const))('of a create: %s', async (_, fault) => {
    const { body, headers } = requestWith(fault);
    expectRefusal(await catalog.send(create(body, headers)), fault.refusal);
    expect(await catalog.stored()).toEqual(before);
  });
});

it('an unknown route is told of without asking who calls', async () => {
  const request = { method: 'DELETE', path: update(item, '').path, headers: { authorization: undefined } };
  expectRefusal(await catalog.send(request), { status: 404, code: 'NOT_FOUND' });
});
