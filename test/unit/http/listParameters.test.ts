import type { APIGatewayProxyEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { encodeCursor, encodeItemCursor } from '../../../lib/http/cursor.ts';
import { itemQuery, listParameters } from '../../../lib/http/listParameters.ts';
import type { CatalogError } from '../../../lib/item/errors.ts';
import { limits } from '../../../lib/item/limits.ts';
import type { Violation } from '../../../lib/item/violation.ts';
import { defaultQuery } from '../../support/items/defaultQuery.ts';

type Sent = Readonly<Record<string, string | readonly string[]>>;

/** The event of a request with these parameters, each sent once or as often as it has values. */
const event = (sent: Sent): APIGatewayProxyEvent =>
  ({
    queryStringParameters: Object.fromEntries(
      Object.entries(sent).map(([name, values]) => [name, [values].flat().at(-1)]),
    ),
    multiValueQueryStringParameters: Object.fromEntries(
      Object.entries(sent).map(([name, values]) => [name, [values].flat()]),
    ),
  }) as unknown as APIGatewayProxyEvent;

/** The parameters that a query is refused for, with the reasons; undefined when it is not. */
function refusedFor(sent: Sent): CatalogError['fields'] {
  try {
    itemQuery(event(sent));
    return undefined;
  } catch (error) {
    const { code, message, fields } = error as CatalogError;
    expect([code, message]).toEqual(['VALIDATION_FAILED', `Invalid field: ${fields?.[0]?.field}.`]);
    for (const { reason } of fields ?? []) expect(reason).toMatch(/^(must|is|cannot) \w.*[^.]$/);
    return fields;
  }
}

const place = { name: 'oak desk', id: 7 };
/** As an earlier version made it. */
const former = { ...place, isDescending: undefined };
const hundred = Array.from({ length: 100 }, (_, index) => index + 1);

describe('the parameters of a list', () => {
  it.each<[Sent, Partial<ReturnType<typeof itemQuery>>]>([
    [{}, {}],
    [{ include_inactive: 'true' }, { active: undefined }],
    [{ active: 'true' }, {}],
    [{ active: 'false' }, { active: false }],
    [{ order: 'asc' }, {}],
    [
      { order: 'desc', active: 'false' },
      { isDescending: true, active: false },
    ],
    [
      { category: '3', type: 'service' },
      { category: 3, type: 'service' },
    ],
    [{ category: '9007199254740991' }, { category: Number.MAX_SAFE_INTEGER }],
    [{ search: 'Oak ' }, { search: 'Oak ' }],
    [{ search: '😀'.repeat(limits.search.max) }, { search: '😀'.repeat(limits.search.max) }],
    [{ search: '' }, {}],
    [{ ids: '7' }, { ids: [7], active: undefined }],
    [{ ids: '3,1,3,2' }, { ids: [3, 1, 2], active: undefined }],
    [{ ids: hundred.join() }, { ids: hundred, active: undefined }],
    [
      { ids: ['3', '1,3', '2'], limit: '7' },
      { ids: [3, 1, 2], active: undefined, limit: 7 },
    ],
    [
      { ids: '3,7,2', cursor: encodeCursor(place) },
      { ids: [2], active: undefined, after: former },
    ],
    [{ sku: ' A-1 ' }, { identifier: { name: 'sku', text: 'A-1' } }],
    [
      { pn: 'e\u0301', limit: '1' },
      { identifier: { name: 'pn', text: 'é' }, limit: 1 },
    ],
    [
      { sku: 'A#PN#B', include_inactive: 'true', category: '1' },
      { identifier: { name: 'sku', text: 'A#PN#B' }, active: undefined, category: 1 },
    ],
    [{ limit: '1' }, { limit: 1 }],
    [{ limit: '100' }, { limit: 100 }],
    [{ cursor: encodeCursor(place) }, { after: former }],
    [
      { cursor: encodeCursor(place), order: 'desc' },
      { after: former, isDescending: true },
    ],
    [{ cursor: encodeItemCursor(place, false) }, { after: { ...place, isDescending: false } }],
    [
      { cursor: encodeItemCursor(place, true), order: 'desc' },
      { after: { ...place, isDescending: true }, isDescending: true },
    ],
    [
      { cursor: encodeCursor(place), search: 'Óak' },
      { after: former, search: 'Óak' },
    ],
    [
      { cursor: encodeCursor({ name: 'strasse 5', id: 7 }), search: 'Straße' },
      { after: { ...former, name: 'strasse 5' }, search: 'Straße' },
    ],
  ])('%j are parsed as %j', (sent, query) => {
    expect(itemQuery(event(sent))).toEqual({ ...defaultQuery, ...query });
  });

  it('are read from either form of the event, or are absent', () => {
    const single = { queryStringParameters: { limit: '7' } } as unknown as APIGatewayProxyEvent;
    expect(itemQuery(single)).toEqual({ ...defaultQuery, limit: 7 });
    for (const none of [{}, { queryStringParameters: null, multiValueQueryStringParameters: null }])
      expect(itemQuery(none as APIGatewayProxyEvent)).toEqual(defaultQuery);
  });

  it.each<[Sent, ...string[]]>([
    [{ include_inactive: 'yes' }, 'include_inactive'],
    [{ active: '0' }, 'active'],
    [{ active: 'false', include_inactive: 'true' }, 'active'],
    [{ order: 'DESC' }, 'order'],
    [{ category: '01' }, 'category'],
    [{ category: '9007199254740993' }, 'category'],
    [{ type: 'Product' }, 'type'],
    [{ search: 'x'.repeat(limits.search.max + 1) }, 'search'],
    [{ search: 'a\ud800' }, 'search'],
    [{ search: 'a\ufffd' }, 'search'],
    [{ search: 'a\tb' }, 'search'],
    [{ pn: 'a\u0000' }, 'pn'],
    [{ sku: 'A', pn: 'B' }, 'pn'],
    [{ sku: 'A', search: 'x' }, 'search'],
    [{ pn: 'A', search: '' }, 'search'],
    [{ ids: '' }, 'ids'],
    [{ ids: '1,' }, 'ids'],
    [{ ids: '1, 2' }, 'ids'],
    [{ ids: '1', search: '' }, 'ids'],
    [{ ids: '1', include_inactive: 'true', limit: '5', sku: 'A' }, 'ids'],
    [{ ids: '1', limit: '0' }, 'limit'],
    [{ ids: ['1', 'x'] }, 'ids'],
    [{ ids: '1', cursor: encodeCursor(place) }, 'cursor'],
    [{ limit: '1e1' }, 'limit'],
    [{ cursor: '%%%' }, 'cursor'],
    [{ cursor: encodeCursor(place), search: 'pine' }, 'cursor'],
    [{ cursor: encodeItemCursor(place, false), search: 'pine' }, 'cursor'],
    [{ cursor: encodeItemCursor(place, false), order: 'desc' }, 'cursor'],
    [{ cursor: encodeItemCursor(place, true) }, 'cursor'],
    [{ cursor: encodeItemCursor(place, true), ids: '7', limit: '5' }, 'cursor'],
    [{ colour: 'red' }, 'colour'],
    [{ constructor: '5' }, 'constructor'],
    [JSON.parse('{"__proto__":"5"}'), '__proto__'],
    [{ colour: '1', limit: '0', 'a b': '', category: 'x' }, 'category', 'limit', 'colour', 'a b'],
  ])('%j are rejected', (sent, ...names) => {
    expect(refusedFor(sent)?.map(({ field }) => field)).toEqual(names);
  });

  it.each<[Sent, field: string, reason: string, Omit<Violation, 'reason'>]>([
    [
      { sku: 'x'.repeat(limits.identifier.max + 1) },
      'sku',
      `must be a text of at most ${limits.identifier.max} characters without control or invisible characters`,
      { rule: 'max_length', limit: limits.identifier.max },
    ],
    [{ sku: 'A', cursor: 'x' }, 'cursor', 'cannot be sent together with sku', { rule: 'exclusive' }],
    [
      { ids: '1', order: 'asc', search: 'x' },
      'ids',
      'cannot be sent together with search or order',
      { rule: 'exclusive' },
    ],
    [{ pn: 'A', cursor: encodeCursor(place) }, 'cursor', 'cannot be sent together with pn', { rule: 'exclusive' }],
    [{ sku: 'A', pn: 'a\u0000' }, 'pn', 'cannot be sent together with sku', { rule: 'exclusive' }],
    [{ sku: ' ' }, 'sku', 'must not be blank', { rule: 'required' }],
    [{ include_inactive: '1' }, 'include_inactive', 'must be true or false', { rule: 'choice' }],
    [{ limit: '101' }, 'limit', 'must be a whole number from 1 to 100', { rule: 'max', limit: 100 }],
    [{ limit: '0' }, 'limit', 'must be a whole number from 1 to 100', { rule: 'min', limit: 1 }],
    [{ category: '0' }, 'category', 'must be the id of a category', { rule: 'min', limit: 1 }],
    [{ limit: ['5', '5'] }, 'limit', 'must be sent only once', { rule: 'repeated' }],
    [{ cursor: 'x' }, 'cursor', 'must be the next_cursor of an earlier page of this list', { rule: 'pattern' }],
    [
      { ids: [...hundred, 101].join() },
      'ids',
      'must be 1 to 100 ids of items, separated by commas',
      { rule: 'max_items', limit: 100 },
    ],
    [{ '': '1' }, '(unnamed)', 'is not a parameter of this operation', { rule: 'unknown_parameter' }],
    [{ ' \u200b': '1' }, '(unnamed)', 'is not a parameter of this operation', { rule: 'unknown_parameter' }],
  ])('%j are rejected, because %s %s', (sent, field, reason, broken) => {
    expect(refusedFor(sent)).toEqual([{ field, reason, ...broken }]);
  });

  it.each([5, {}, [], null, [[]], [{}], [5]])('are rejected, without a defect, if one is %j in the event', (one) => {
    for (const name of Object.keys(listParameters)) {
      const hostile = { multiValueQueryStringParameters: { [name]: one } } as unknown as APIGatewayProxyEvent;
      expect(() => itemQuery(hostile)).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
    }
  });
});
