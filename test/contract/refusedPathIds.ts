import { update } from '../support/apiRequests.ts';
import { itemNotFound as notFound } from '../support/refusals.ts';
import type { RefusedCase } from './refusedCase.ts';

/** Ids of no item that the caller can have, as they stand in the path. */
const ids = [
  'abc',
  '0',
  '-1',
  '+1',
  '1.5',
  '1e3',
  '0x1',
  '01',
  '9007199254740993',
  '99999999999999999999',
  '%00',
  '1%20',
  '%201',
  '%31',
  '1,2',
  '__proto__',
  '%EF%BC%91',
  '%zz',
];

/** Path ids that are answered as those of a missing item. */
export const refusedPathIds: readonly RefusedCase[] = [
  ...ids.map((id) => ({
    ...notFound,
    title: `the id ${id}`,
    request: () => update(id, { name: 'Chair' }),
  })),
  { ...notFound, title: 'a missing item', request: () => update(9_007_199_254_740_991, { name: 'Chair' }) },
  {
    ...notFound,
    title: "another account's item",
    request: ({ foreignItem }) => update(foreignItem, { name: 'Chair' }),
  },
];
