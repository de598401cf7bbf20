import { update } from '../support/apiRequests.ts';
import type { Refusal } from '../support/refusals.ts';
import type { RefusedCase } from './refusedCase.ts';

const outdated: Refusal = { status: 412, code: 'PRECONDITION_FAILED' };
const malformed: Refusal = { status: 400, code: 'INVALID_REQUEST', message: 'Invalid header: If-Match.' };

/** Values of `If-Match` against an item at revision 2. */
const tags: readonly [string, string | readonly string[], Refusal][] = [
  ['an older revision', '"1"', outdated],
  ['a revision to come', '"3"', outdated],
  ['a weak tag', 'W/"2"', outdated],
  ['the revision with a zero before it', '"02"', outdated],
  ['a tag that is no revision', '"abc"', outdated],
  ['an empty tag', '""', outdated],
  ['a number too large', '"9007199254740993"', outdated],
  ['several other revisions', '"1", "3"', outdated],
  ['two headers with other revisions', ['"1"', '"3"'], outdated],
  ['no tag', '', malformed],
  ['nonsense', 'abc', malformed],
  ['a bare number', '2', malformed],
  ['a tag that is not closed', '"2', malformed],
  ['a star among tags', '*, "2"', malformed],
];

/** Conditions that an update must not pass. */
export const refusedConditions: readonly RefusedCase[] = tags.flatMap(([title, value, refusal]) => [
  { ...refusal, title, request: ({ item }) => update(item, { name: 'Chair' }, { 'if-match': value }) },
  {
    ...refusal,
    title: `${title}, when the update removes the SKU`,
    request: ({ item }) => update(item, { name: 'Chair', sku: null }, { 'if-match': value }),
  },
]);
