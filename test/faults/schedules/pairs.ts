import type { JsonObject } from '../../../lib/item/json.ts';
import type { ClientRequest } from '../history.ts';
import type { Variant } from '../process.ts';
import { oldWriter } from '../variants/dynamoRequests.ts';

export type ItemRequest = Omit<ClientRequest, 'account'>;

/** A request, or one for several rows at once. */
export type ScheduledRequest = ItemRequest | ScheduledBatch;

interface ScheduledBatch {
  readonly rows: readonly ItemRequest[];
  readonly key: string;
  readonly skipsUnchanged?: boolean;
}

/** Requests whose schedules are explored. */
export interface Scenario {
  readonly requests: readonly ScheduledRequest[];
  /** Whether each starts when the one before has ended, instead of at any time. */
  readonly isSequence?: boolean;
  /** What the items are created with that exist before. By default, {@link item} alone. */
  readonly items?: readonly { readonly body: JsonObject }[];
  /** Fields of {@link item} that are changed before, past the service. */
  readonly planted?: JsonObject;
  /** The store of each request. By default, the real one. */
  readonly variants?: readonly (Variant | undefined)[];
}

/** The item that exists before, with the identifier `S`, at revision 1. */
export const item = { id: 1, body: { name: 'first', sku: 'S', value: 1 } } as const;
const { id } = item;

/** A kind of request. `place` distinguishes the two requests of a pair. */
interface Kind {
  readonly requestFor: (place: number) => ItemRequest;
  /** The records that it reads or writes. Two requests that share none cannot conflict. */
  readonly touches: readonly ('item' | 'full item' | 'item in kg' | 'code N' | 'code S')[];
}

const value = (place: number) => 10 + place;
/** Each create has a unique name, which identifies its item. A repeat with a key has the first one's name. */
const name = (place: number) => `new-${place}`;

export const kinds: Readonly<Record<string, Kind>> = {
  'create with a free code': {
    requestFor: (place) => ({ body: { name: name(place), sku: 'N' } }),
    touches: ['code N'],
  },
  'create with a taken code': {
    requestFor: (place) => ({ body: { name: name(place), sku: 'S' } }),
    touches: ['code S'],
  },
  'keyed create with a free code': {
    requestFor: () => ({ body: { name: 'keyed', sku: 'N' }, key: 'k-1' }),
    touches: ['code N'],
  },
  'keyed create with a taken code': {
    requestFor: () => ({ body: { name: 'keyed', sku: 'S' }, key: 'k-2' }),
    touches: ['code S'],
  },
  'plain update': {
    requestFor: (place) => ({ id, body: { value: value(place), metadata: { [`m${place}`]: 1 } } }),
    touches: ['item'],
  },
  'update with its unchanged code': {
    requestFor: (place) => ({ id, body: { sku: 'S', value: value(place) } }),
    touches: ['item'],
  },
  'code move': {
    requestFor: (place) => ({ id, body: { sku: 'N', value: value(place) } }),
    touches: ['item', 'code N', 'code S'],
  },
  'update of the quantity by the stored unit': {
    requestFor: (place) => ({ id, body: { qty: 1.2345, value: value(place) } }),
    touches: ['item'],
  },
  'update of a full item': { requestFor: (place) => ({ id, body: { value: value(place) } }), touches: ['full item'] },
  'update that adds metadata to a full item': {
    requestFor: (place) => ({ id, body: { metadata: { [`new${place}`]: 1, m0: place } } }),
    touches: ['full item'],
  },
  'update that removes metadata of a full item': {
    requestFor: () => ({ id, body: { metadata: { m0: null, m1: null } } }),
    touches: ['full item'],
  },
  'exchange of custom fields of a full item': {
    // After the second, the first would add one key too many, though there are no more keys than before.
    requestFor: (place) => ({
      id,
      body: { metadata: { m0: null, m1: null, ...(place === 0 ? { a: 1, b: 1, c: 1 } : { d: 1, e: 1 }) } },
    }),
    touches: ['full item'],
  },
  'update of the quantity in kg': {
    requestFor: (place) => ({ id, body: { qty: 1.2345, value: value(place) } }),
    touches: ['item in kg'],
  },
  'change of the unit': {
    requestFor: (place) => ({ id, body: { unit: ['un', 'hour'][place] ?? 'un' } }),
    touches: ['item', 'item in kg'],
  },
  'keyed code move': {
    requestFor: (place) => ({ id, body: { sku: 'N', value: value(place) }, key: 'k-4' }),
    touches: ['item', 'code N', 'code S'],
  },
  'removal of the code': {
    requestFor: () => ({ id, body: { sku: null } }),
    touches: ['item', 'code S'],
  },
  'move of both codes': {
    requestFor: (place) => ({ id, body: { sku: 'N', pn: 'N', value: value(place) } }),
    touches: ['item', 'code N', 'code S'],
  },
  'keyed update': { requestFor: () => ({ id, body: { value: value(0) }, key: 'k-3' }), touches: ['item'] },
  'update under If-Match': {
    requestFor: (place) => ({ id, body: { value: value(place) }, ifMatch: 1 }),
    touches: ['item'],
  },
  'update under If-Match of the next revisions': {
    requestFor: (place) => ({ id, body: { value: value(place) }, ifMatch: [2, 3] }),
    touches: ['item'],
  },
};

export const manyFields = (count: number, value: number): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, value]));

/** One key below the limit. */
const fullMetadata = manyFields(99, 0);

interface Pair extends Scenario {
  readonly name: string;
  /** Whether `npm test` explores it, and not only the nightly program. */
  readonly isDistinct: boolean;
  /** Whether both are of one kind. */
  readonly isAlike: boolean;
}

/** The pairs that `npm test` explores: those that expose a defect which no other does, and others with a moved code. */
const distinct = [
  'plain update, plain update',
  'plain update, code move',
  'code move, code move',
  'code move, update under If-Match',
  'create with a free code, create with a free code',
  'create with a free code, code move',
  'create with a taken code, code move',
  'keyed create with a free code, keyed create with a free code',
  'keyed create with a taken code, code move',
  'keyed update, keyed update',
  'update of the quantity in kg, change of the unit',
  'exchange of custom fields of a full item, exchange of custom fields of a full item',
];

export const pairs: readonly Pair[] = Object.entries(kinds).flatMap(([first, one], index, all) =>
  all.slice(index).flatMap(([second, other]) => {
    if (!one.touches.some((record) => other.touches.includes(record))) return [];
    const both = one.touches.filter((record) => other.touches.includes(record));
    const planted = {
      ...(both.includes('full item') && { metadata: fullMetadata }),
      ...(both.includes('item in kg') && { unit: 'kg' }),
    };
    const name = `${first}, ${second}`;
    return [
      {
        name,
        isDistinct: distinct.includes(name),
        isAlike: one === other,
        planted,
        requests: [one.requestFor(0), other.requestFor(1)],
      },
    ];
  }),
);

/** Two writers of which one may be held up beside a third, whose version did not know `sent_at`. */
export const besideOldWriter: Pair = {
  ...{ name: 'plain update, update under If-Match, plain update of an old version', isDistinct: false, isAlike: false },
  planted: {},
  requests: [
    { id, body: { value: value(0) } },
    { id, body: { value: value(1) }, ifMatch: [2, 3] },
    { id, body: { tag: 'old' } },
  ],
  variants: [undefined, undefined, oldWriter],
};
