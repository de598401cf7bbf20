import { CatalogError } from '../item/errors.ts';

/** The entity tag of an item: its revision, as a strong tag. */
export const etag = (revision: number): string => `"${revision}"`;

/**
 * Entity tags as RFC 9110 section 8.8.3 spells them, weak ones included, and a list of them, whose elements may be empty
 * (section 5.6.1).
 */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(`^(?:${tag}[ \\t]*)?(?:,[ \\t]*(?:${tag}[ \\t]*)?)*$`);
const tags = new RegExp(tag, 'g');

/** More than this many tags are no honest list. */
const maxTags = 100;

/**
 * The revisions that `If-Match` allows (RFC 9110 section 13.1.1, strong comparison).
 * @param values the header's values, as often as it was sent
 * @returns undefined when any revision will do; a tag that is no revision of ours stands as 0, which no item is ever at
 * @throws CatalogError `INVALID_REQUEST` when it is no list of entity tags
 */
export function allowedRevisions(values: readonly string[]): readonly number[] | undefined {
  if (values.length === 0) return undefined;
  const list = values.join(',').trim();
  if (list === '*') return undefined;
  const sent = tagList.test(list) ? (list.match(tags) ?? []) : [];
  if (sent.length === 0 || sent.length > maxTags)
    throw new CatalogError('INVALID_REQUEST', { message: 'Invalid header: If-Match.' });
  return sent.map((text) => {
    const revision = Number(/^"([1-9][0-9]*)"$/.exec(text)?.[1] ?? 0);
    return Number.isSafeInteger(revision) ? revision : 0;
  });
}
