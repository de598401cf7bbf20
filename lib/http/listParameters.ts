import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import type { ItemQuery } from '../catalog/listItems.ts';
import { fields, identifierForm, identifierText } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { searchedPrefixes } from '../item/listedName.ts';
import { codePoints, hasControlCharacters } from '../item/text.ts';
import { parseCursor } from './cursor.ts';
import { readParameters, throwIfInvalidParameters } from './parameters.ts';

const wholeNumber = (min: number, max: number, reason: string) => {
  const digits = z.string(reason).check(z.regex(/^[1-9][0-9]*$/, reason));
  return z.pipe(z.pipe(digits, z.transform(Number)), z.int(reason).check(z.gte(min, reason), z.lte(max, reason)));
};

const { page, search } = limits;
const searchReason = `must be a text of at most ${search.max} characters without control characters`;
const cursorReason = 'must be the next_cursor of an earlier page of this list';

/** An identifier in its stored form. A blank one would remove it from an item, so it cannot be searched for. */
const identifier = z.pipe(identifierText(`must be ${identifierForm}`), z.string('must not be blank'));

/** Query parameters of `GET …/items`. */
export const listParameters = {
  include_inactive: {
    description: '`true`: inactive items too.',
    schema: z.pipe(
      z.enum(['true', 'false'], 'must be true or false'),
      z.transform((text) => text === 'true'),
    ),
  },
  category: {
    description: 'Only items of the category with this id.',
    schema: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be the id of a category'),
  },
  type: { description: 'Only products (`product`) or only services (`service`).', schema: fields.type },
  search: {
    description: 'Only items whose name begins with this text, without regard to case, accents and extra blanks.',
    schema: z.string(searchReason).check(z.refine((text) => isSearch(text), searchReason)),
    notWith: ['sku', 'pn'],
  },
  sku: {
    description: 'Only the item with this SKU. Not together with `pn`, `search` or `cursor`.',
    schema: identifier,
  },
  pn: {
    description: 'Only the item with this part number. Not together with `sku`, `search` or `cursor`.',
    schema: identifier,
    notWith: ['sku'],
  },
  limit: {
    description: `The most items on a page: ${page.min} to ${page.max}, or else ${page.default}.`,
    schema: wholeNumber(page.min, page.max, `must be a whole number from ${page.min} to ${page.max}`),
  },
  cursor: {
    description: 'The `next_cursor` of the page before, with the same other parameters.',
    schema: z.pipe(
      z.pipe(z.string(cursorReason), z.transform(parseCursor)),
      z.object({ name: z.string(), id: z.number() }, cursorReason),
    ),
    notWith: ['sku', 'pn'],
  },
} as const;

/** The gateway replaces bytes that are not UTF-8 with U+FFFD. */
const isSearch = (text: string): boolean =>
  text.isWellFormed() && !text.includes('\ufffd') && codePoints(text) <= search.max && !hasControlCharacters(text);

/**
 * Parses the query of `GET …/items`.
 * @throws CatalogError `VALIDATION_FAILED` with all parameters that are malformed, unknown, or cannot be combined
 */
export function itemQuery(event: APIGatewayProxyEvent): ItemQuery {
  const sent = readParameters(event, listParameters);
  const { cursor } = sent;
  const isInList =
    cursor === undefined || searchedPrefixes(sent.search ?? '').some((one) => cursor.name.startsWith(one));
  throwIfInvalidParameters(isInList ? [] : [{ field: 'cursor', reason: cursorReason }]);
  const name = sent.sku === undefined ? 'pn' : 'sku';
  const text = sent[name];
  return {
    includeInactive: sent.include_inactive ?? false,
    category: sent.category,
    type: sent.type,
    search: sent.search ?? '',
    identifier: text === undefined ? undefined : { name, text },
    limit: sent.limit ?? page.default,
    after: cursor,
  };
}
