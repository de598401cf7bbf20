import * as z from 'zod/mini';
import type { ListPosition } from '../catalog/catalogStore.ts';
import type { ItemQuery } from '../catalog/listItems.ts';
import { accepts, identifierForm, identifierText, text } from '../item/accepts.ts';
import { throwIfAny } from '../item/errors.ts';
import { byName, type FilterField, type IdentifierName, identifierNames } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { listedName } from '../item/listedName.ts';
import { hasControlCharacters } from '../item/text.ts';
import { violation } from '../item/violation.ts';
import { type ItemCursor, itemCursor, parseCursor } from './cursor.ts';
import { type QueryEvent, readParameters, reads } from './requestParts.ts';

const wholeNumber = (min: number, max: number, reason: string) => {
  const digits = z.string(reason).check(z.regex(/^(0|-?[1-9][0-9]*)$/, reason));
  return z.pipe(z.pipe(digits, z.transform(Number)), z.number(reason).check(z.gte(min, reason), z.lte(max, reason)));
};

/** A text that is converted. @param read returns undefined for one that cannot be */
export const readable = <Value>(reason: string, read: (text: string) => Value | undefined) =>
  z.pipe(
    z.pipe(z.string(reason), z.transform(read)),
    z.custom<Value, Awaited<Value> | undefined>((value) => value !== undefined, reason),
  );

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

const idsReason = `must be 1 to ${page.max} ids of items, separated by commas`;

const sentOnceOrSeveralTimes = z.pipe(
  z.array(z.string(idsReason)),
  z.transform((all) => all.join()),
);

const ids = z.pipe(
  z.pipe(
    z.pipe(sentOnceOrSeveralTimes, z.string()).check(z.regex(/^[1-9][0-9]{0,15}(,[1-9][0-9]{0,15})*$/, idsReason)),
    z.transform((sent) => [...new Set(sent.split(',').map(Number))]),
  ),
  z.custom<number[]>(
    (all) => (all as number[]).length <= page.max,
    violation({ reason: idsReason, rule: 'max_items', limit: page.max }),
  ),
);

const truth = z.pipe(
  z.enum(['true', 'false'], 'must be true or false'),
  z.transform((sent) => sent === 'true'),
);

/** The parameters that select from the whole list, each of which {@link itemQuery} reads by its name. */
type SelectionName = FilterField | IdentifierName | 'include_inactive' | 'search' | 'order';

const selection = {
  include_inactive: { schema: truth },
  active: { schema: truth, notWith: ['include_inactive'] },
  category: { schema: wholeNumber(1, Number.MAX_SAFE_INTEGER, 'must be the id of a category') },
  type: { schema: accepts.type },
  search: {
    // The gateway replaces bytes that are not UTF-8 with U+FFFD.
    schema: text(searchReason, search.max, (sent) => !sent.includes('\ufffd') && !hasControlCharacters(sent)),
    notWith: identifierNames,
  },
  ...identifierParameters,
  order: { schema: z.enum(['asc', 'desc'], 'must be asc or desc') },
} as const satisfies Readonly<Record<SelectionName, object>>;

export const listParameters = {
  ...selection,
  // Beside ids it has no effect. Generated clients send its default.
  limit: { schema: wholeNumber(page.min, page.max, `must be a whole number from ${page.min} to ${page.max}`) },
  ids: { schema: ids, isList: true, notWith: Object.keys(selection) },
  cursor: {
    schema: readable(cursorReason, parseCursor),
    notWith: identifierNames,
  },
} as const;

/** @throws CatalogError `VALIDATION_FAILED` if the cursor that was sent is that of another list */
export function requireListed(cursor: ListPosition | undefined, isInList: (position: ListPosition) => boolean): void {
  const isValid = cursor === undefined || isInList(cursor);
  throwIfAny(isValid ? [] : [{ field: 'cursor', reason: cursorReason, rule: 'pattern' }]);
}

export const listQuery = () => reads((event) => ({ query: itemQuery(event) }));

/** @throws CatalogError `VALIDATION_FAILED` with all parameters that are malformed, unknown, or excluded by others */
export function itemQuery(event: QueryEvent): ItemQuery & { readonly after: ItemCursor | undefined } {
  const sent = readParameters(event, listParameters);
  const { ids, category, type, order, search = '', limit = page.default } = sent;
  const isDescending = order === 'desc';
  const cursor = sent.cursor && itemCursor(sent.cursor);
  const includesInactive = sent.include_inactive ?? ids !== undefined;
  const name = identifierNames.find((each) => sent[each] !== undefined);
  const isInList =
    cursor !== undefined &&
    (cursor.isDescending ?? isDescending) === isDescending &&
    (ids?.includes(cursor.id) ?? cursor.name.startsWith(listedName(search)));
  requireListed(sent.cursor, () => isInList);
  const start = ids === undefined || cursor === undefined ? 0 : ids.indexOf(cursor.id) + 1;
  return {
    active: sent.active ?? (includesInactive ? undefined : true),
    category,
    type,
    search,
    identifier: name && { name, text: sent[name] ?? '' },
    ids: ids?.slice(start),
    isDescending,
    limit,
    after: cursor,
  };
}
