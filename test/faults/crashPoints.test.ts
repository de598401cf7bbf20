import { describe, expect, it } from 'vitest';
import { explore } from './schedules/explore.ts';
import { type ItemRequest, item, manyFields } from './schedules/pairs.ts';

/**
 * Only these tests put each fault at each call of every kind of request, its reads and its lease of ids included, and say
 * what the client's repeat is answered.
 */

interface Kind {
  readonly request: ItemRequest;
  readonly done: number;
  /** The response to the repeat if the first was done. */
  readonly again: number;
}

const create = (body: ItemRequest['body'], again: number, key?: string): Kind => ({
  request: { body, ...(key && { key }) },
  done: 201,
  again,
});
const update = (body: ItemRequest['body'], again = 200, more: Partial<ItemRequest> = {}): Kind => ({
  request: { id: item.id, body, ...more },
  done: 200,
  again,
});
const coded = { name: 'new', sku: 'N', pn: 'N' };

const kinds: Readonly<Record<string, Kind>> = {
  'a create without codes and key': create({ name: 'new' }, 201),
  'a create with codes': create(coded, 409),
  'a create with a key': create({ name: 'new' }, 201, 'k'),
  'a create with codes and a key': create(coded, 201, 'k'),
  'an update of plain fields': update({ value: 7, metadata: { a: 1, b: null } }),
  'an update with unchanged codes': update({ sku: 'S', pn: null, value: 7 }),
  'a change of both codes': update({ sku: null, pn: 'N' }),
  'a first code': update({ pn: 'N' }),
  'a quantity that most units round otherwise': update({ qty: 1.25 }),
  'custom fields that may be too many': update({ metadata: manyFields(50, 2) }),
  'an update with a key': update({ value: 7 }, 200, { key: 'k' }),
  'an update under If-Match': update({ value: 7 }, 412, { ifMatch: 1 }),
  'a change of a code under If-Match': update({ sku: 'N' }, 412, { ifMatch: 1 }),
};

/** Nothing but its name tells a create without a key from its repeat, which is another create. */
const repeatOf = (request: ItemRequest): ItemRequest =>
  request.id === undefined && request.key === undefined ? { body: { ...request.body, name: 'again' } } : request;

describe('every promise is kept whatever happens at any call of a process', () => {
  it.each(Object.entries(kinds))('in %s and in its repeat', async (_name, { request, done, again }) => {
    const scenario = { requests: [request, repeatOf(request)], isSequence: true };
    const { responses, violation } = await explore({ scenario, faults: 1 });
    expect(violation).toBeUndefined();
    expect([...responses]).toEqual(expect.arrayContaining([`${done} ${again}`, `none ${done}`, `none ${again}`]));
    const answers = new RegExp(`^(${done}|503|none) (${done}|${again}|503|none)$`);
    expect([...responses].filter((each) => !answers.test(each))).toEqual([]);
  });

  const updating = Object.entries(kinds).filter(([, { done }]) => done === 200);
  it.each(updating)('in %s, also while it finds out what was lost', async (_name, { request }) => {
    const { violation } = await explore({ scenario: { requests: [request], isSequence: true }, faults: 2 });
    expect(violation).toBeUndefined();
  });
});
