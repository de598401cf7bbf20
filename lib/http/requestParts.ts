/** What handlers read from the path and the headers of a request. */
import { CatalogError, type ErrorCode } from '../item/errors.ts';
import { headerValues } from './headers.ts';
import { reads } from './middleware.ts';

/** The id in the path. @param missing the code of the error for a text that cannot be an id */
export const pathId = (missing: ErrorCode) =>
  reads(({ pathParameters }) => {
    const text: unknown = pathParameters?.['id'];
    const id = typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) throw new CatalogError(missing);
    return { id };
  });

/** The error for a header that is malformed, or that the operation does not take. */
export const invalidHeader = (name: string): CatalogError =>
  new CatalogError('INVALID_REQUEST', { message: `Invalid header: ${name}.` });

/** An item's entity tag: its revision as a strong tag. */
export const etag = (revision: number): string => `"${revision}"`;

/** An entity tag, strong or weak (RFC 9110 section 8.8.3). Elements of a list of them may be empty (section 5.6.1). */
const tag = String.raw`(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(`^(?:${tag}[ \\t]*)?(?:,[ \\t]*(?:${tag}[ \\t]*)?)*$`);
const tags = new RegExp(tag, 'g');

/** Upper bound on work: no real client sends more tags than this. */
const maxTags = 100;

/**
 * RFC 9110 section 13.1.1, strong comparison. Undefined allows any revision, 0 (for a tag that is not ours) matches no
 * item. @throws CatalogError `INVALID_REQUEST` if the header is not a list of entity tags
 */
export const ifMatch = () => reads((event) => ({ revisions: allowedRevisions(headerValues(event, 'if-match')) }));

function allowedRevisions(values: readonly string[]): readonly number[] | undefined {
  if (values.length === 0) return undefined;
  const list = values.join(',').trim();
  if (list === '*') return undefined;
  const sent = tagList.test(list) ? (list.match(tags) ?? []) : [];
  if (sent.length === 0 || sent.length > maxTags) throw invalidHeader('If-Match');
  return sent.map((text) => {
    const revision = Number(/^"([1-9][0-9]*)"$/.exec(text)?.[1] ?? 0);
    return Number.isSafeInteger(revision) ? revision : 0;
  });
}

/** 1 to 255 visible ASCII characters, bare or as a quoted string. */
export const idempotencyKeyForm = /^(?:"([\x21\x23-\x7e]{1,255})"|([\x21\x23-\x7e][\x21-\x7e]{0,254}))$/;

/** Undefined if it was not sent. @throws CatalogError `INVALID_REQUEST` if it is malformed or was sent twice */
export const idempotencyKey = () =>
  reads((event) => {
    const [value, ...others] = headerValues(event, 'idempotency-key');
    if (value === undefined) return { key: undefined };
    const [, quotedKey, bareKey] = idempotencyKeyForm.exec(value) ?? [];
    const key = quotedKey ?? bareKey;
    if (others.length > 0 || key === undefined) throw invalidHeader('Idempotency-Key');
    return { key };
  });
