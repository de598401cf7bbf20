import { describe, it } from 'vitest';
import { type ApiRequest, bearer, create, update } from '../support/api/apiRequests.ts';
import { expectItem, expectRefused, shownItem } from '../support/api/apiResponses.ts';
import * as refusals from '../support/api/refusals.ts';
import { startTestApi } from '../support/api/testApi.ts';

/** What makes a request wrong. Two faults can be combined unless they need the same part of the request. */
interface Fault {
  readonly title: string;
  readonly refusal: refusals.Refusal;
  readonly caller?: 'anonymous' | 'reader';
  readonly id?: 'abc' | '9007199254740991';
  readonly mediaType?: 'text/plain';
  /** Sent after the object. */
  readonly padding?: string;
  /** Sent in place of the object's closing brace. */
  readonly end?: '';
  readonly fields?: 'none';
  readonly value?: -1;
  /** Archived. */
  readonly category?: 4;
  readonly sku?: 'TAKEN';
  readonly ifMatch?: string;
  readonly key?: string;
}

/** In the order in which they are checked. */
const faults: readonly Fault[] = [
  { title: 'no token', refusal: refusals.unauthorized, caller: 'anonymous' },
  { title: 'no permission', refusal: refusals.forbidden, caller: 'reader' },
  { title: 'a malformed id', refusal: refusals.itemNotFound, id: 'abc' },
  { title: 'another media type', refusal: refusals.unsupportedMediaType, mediaType: 'text/plain' },
  { title: 'too large a body', refusal: refusals.tooLarge, padding: ' '.repeat(262_144) },
  { title: 'malformed JSON', refusal: refusals.invalidJson, end: '' },
  { title: 'a malformed If-Match', refusal: refusals.invalidHeader('If-Match'), ifMatch: 'x' },
  { title: 'a malformed Idempotency-Key', refusal: refusals.invalidHeader('Idempotency-Key'), key: 'a b' },
  { title: 'no field', refusal: refusals.nothingToUpdate, fields: 'none' },
  { title: 'an invalid field', refusal: refusals.invalid('value'), value: -1 },
  { title: 'a used Idempotency-Key', refusal: refusals.keyReused, key: 'USED' },
  { title: 'an archived category that the item does not have', refusal: refusals.invalid('category'), category: 4 },
  { title: 'a missing item', refusal: refusals.itemNotFound, id: '9007199254740991' },
  { title: 'a taken SKU', refusal: refusals.alreadyExists(), sku: 'TAKEN' },
  { title: 'another revision', refusal: refusals.preconditionFailed(shownItem(), 2), ifMatch: '"7"' },
];

function canCombine(one: Fault, other: Fault): boolean {
  const { title: _title, refusal: _refusal, ...parts } = one;
  // An update's key is remembered by its item, and a missing item remembers none.
  if (one.key === 'USED' && other.id !== undefined) return false;
  const empty = one.fields ?? other.fields;
  const full = [one, other].find(({ value, category, sku }) => (value ?? category ?? sku) !== undefined);
  return Object.keys(parts).every((part) => !Object.hasOwn(other, part)) && (empty === undefined || full === undefined);
}

const api = await startTestApi();
expectItem(await api.send(create({ name: 'Chair', sku: 'TAKEN' })), shownItem({ sku: 'TAKEN' }), 1);
const item = expectItem(await api.send(create({ name: 'Chair' }, { 'idempotency-key': 'USED' })), shownItem(), 1);
const same = await api.send(update(item, { metadata: null }, { 'idempotency-key': 'USED' }));
expectItem(same, shownItem(), 2);

/** The parts of a request that is good except for its faults. */
function partsOf(fault: Omit<Fault, 'title' | 'refusal'>) {
  const { name, value, category, sku } = { name: 'Table', value: 2, category: 1, sku: 'FREE', ...fault };
  const object = JSON.stringify(fault.fields === 'none' ? {} : { name, value, category, sku });
  const authorization = { anonymous: { authorization: undefined }, reader: bearer(api.tokens.reader) };
  return {
    id: fault.id ?? item,
    body: object.slice(0, -1) + (fault.end ?? '}') + (fault.padding ?? ''),
    headers: {
      'content-type': fault.mediaType ?? 'application/json',
      'if-match': fault.ifMatch,
      'idempotency-key': fault.key,
      ...(fault.caller && authorization[fault.caller]),
    },
  };
}

const operations: [name: string, readonly Fault[], (fault: Omit<Fault, 'title' | 'refusal'>) => ApiRequest][] = [
  [
    'create',
    // A create has neither an id nor a revision, and without a field it lacks the name. It has no category to keep.
    faults.filter(({ id, ifMatch, fields, category }) => (id ?? ifMatch ?? fields ?? category) === undefined),
    (fault) => create(partsOf(fault).body, partsOf(fault).headers),
  ],
  ['update', faults, (fault) => update(partsOf(fault).id, partsOf(fault).body, partsOf(fault).headers)],
];

describe.each(operations)('%s', (_operation, possible, requestWith) => {
  it.each(possible.map((fault) => [fault.title, fault] as const))('rejects %s', async (_title, fault) => {
    await expectRefused(api, requestWith(fault), fault.refusal);
  });

  const pairs = possible.flatMap((first, index) =>
    possible
      .slice(index + 1)
      .filter((second) => canCombine(first, second))
      .map((second) => [first.title, second.title, first, second] as const),
  );
  it.each(pairs)('checks for %s before %s', async (_first, _second, first, second) => {
    await expectRefused(api, requestWith({ ...first, ...second }), first.refusal);
  });
});
