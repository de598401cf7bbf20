import * as z from 'zod/mini';
import type { ListPosition } from '../catalog/catalogReader.ts';
import type { ItemQuery } from '../catalog/listItems.ts';
import { accepts, identifierForm, identifierText, text } from '../item/accepts.ts';
import { byName, identifierNames } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { searchedPrefixes } from '../item/listedName.ts';
import { hasControlCharacters } from '../item/text.ts';
import { violation } from '../item/violation.ts';
import { parseCursor } from './cursor.ts';
import type { QueryEvent } from './parameters.ts';
import { readParameters, throwIfInvalidParameters } from './parameters.ts';

const wholeNumber = (min: number, max: number, reason: string) => {
  const digits = z.string(reason).check(z.regex(/^[1-9][0-9]*$/, reason));
  return z.pipe(z.pipe(digits, z.transform(Number)), z.number(reason).check(z.gte(min, reason), z.lte(max, reason)));
};

const { page, search } = limits;
const searchReason = `must be a text of at most ${search.max} characters without control characters`;
const cursorReason = 'must be the next_cursor of an earlier page of this list';

/** An identifier in its stored form. A blank one would remove it from an item, so it cannot be searched for. */
const identifier = z.pipe(
  identifierText(`must be ${identifierForm}`),
  z.custom<string>((sent) => sent !== null, violation({ reason: 'must not be blank', rule: 'required' })),
);

/** Only one identifier can be sent. The later one is reported. */
const identifierParameters = byName(identifierNames, (name) => ({
  schema: identifier,
  notWith: identifierNames.slice(0, identifierNames.indexOf(name)),
}));

/** Query parameters of `GET …/items`. */
export const listParameters = {
  include_inactive: {
    schema: z.pipe(
      z.enum(['true', 'false'], 'must be true or false'),
      z.transform((sent) => sent === 'true'),
    ),
  },
  category: { schema: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be the id of a category') },
  type: { schema: accepts.type },
  search: {
    // The gateway replaces bytes that are not UTF-8 with U+FFFD.
    schema: text(searchReason, search.max, (sent) => !sent.includes('\ufffd') && !hasControlCharacters(sent)),
    notWith: identifierNames,
  },
  ...identifierParameters,
  limit: { schema: wholeNumber(page.min, page.max, `must be a whole number from ${page.min} to ${page.max}`) },
  cursor: {
    schema: z.pipe(
      z.pipe(z.string(cursorReason), z.transform(parseCursor)),
      z.custom<ListPosition>((position) => position !== undefined, cursorReason),
    ),
    notWith: identifierNames,
  },
} as const;

/**
 * Parses the query of `GET …/items`.
 * @throws CatalogError `VALIDATION_FAILED` with all parameters that are malformed, unknown, or cannot be combined
 */
export function itemQuery(event: QueryEvent): ItemQuery {
  const sent = readParameters(event, listParameters);
  const { cursor } = sent;
  const isInList =
    cursor === undefined || searchedPrefixes(sent.search ?? '').some((one) => cursor.name.startsWith(one));
  throwIfInvalidParameters(isInList ? [] : [{ field: 'cursor', reason: cursorReason, rule: 'pattern' }]);
  const name = identifierNames.find((one) => sent[one] !== undefined);
  return {
    includeInactive: sent.include_inactive ?? false,
    category: sent.category,
    type: sent.type,
    search: sent.search ?? '',
    identifier: name && { name, text: sent[name] ?? '' },
    limit: sent.limit ?? page.default,
    after: cursor,
  };
}
