/** What handlers read from the path, the headers and the query of a request. */
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type * as z from 'zod/mini';
import { CatalogError, type ErrorCode, type InvalidField, throwIfAny } from '../item/errors.ts';
import { unknownNames } from '../item/violation.ts';
import { violationIn } from '../item/violationIn.ts';
import { headerValues } from './headers.ts';

/** A middleware that reads a part of a request, and passes it on in Lambda's context, as is usual with middy. */
export type Reads<Members> = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, Context & Members>;

/** @param read any error that it throws becomes an error response */
export const reads = <Members extends object>(
  read: (event: APIGatewayProxyEvent, context: Context) => Members,
): Reads<Members> => ({
  before: ({ event, context }) => void Object.assign(context, read(event, context)),
});

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

export type QueryEvent = Pick<APIGatewayProxyEvent, 'multiValueQueryStringParameters' | 'queryStringParameters'>;

interface Parameter {
  /** Validates the text that was sent and converts it. */
  readonly schema: z.ZodMiniType;
  readonly notWith?: readonly string[];
  /** Whether it may be sent several times. Then its schema takes a list. */
  readonly isList?: boolean;
}

type Parameters = Readonly<Record<string, Parameter>>;

/** The values that were sent. Parameters that were not sent are absent. */
type ParameterValues<Declared extends Parameters> = {
  readonly [Name in keyof Declared]?: z.output<Declared[Name]['schema']>;
};

/** The query of the request. @param declared all parameters of the operation */
export const query = <Declared extends Parameters>(
  declared: Declared,
): Reads<{ readonly query: ParameterValues<Declared> }> =>
  reads((event) => ({ query: readParameters(event, declared) }));

/**
 * @throws CatalogError `VALIDATION_FAILED` with the parameters that are malformed, were sent more than once or with
 * others that exclude them, in declaration order, followed by those that the operation does not have
 */
export function readParameters<Declared extends Parameters>(
  event: QueryEvent,
  declared: Declared,
): ParameterValues<Declared> {
  const { multiValueQueryStringParameters: multiple, queryStringParameters: single } = event;
  const sent = new Map(Object.entries(multiple ?? single ?? {}).map(([name, values]) => [name, [values].flat()]));
  const values: Record<string, unknown> = {};
  const invalid: InvalidField[] = [];
  for (const [name, { schema, notWith = [], isList = false }] of Object.entries(declared)) {
    const all = sent.get(name);
    if (all === undefined) continue;
    const { error, data } = schema.safeParse(isList ? all : all[0]);
    const excluding = notWith.filter((other) => sent.has(other));
    if (excluding.length > 0)
      invalid.push({
        field: name,
        reason: `cannot be sent together with ${excluding.join(' or ')}`,
        rule: 'exclusive',
      });
    else if (!isList && all.length !== 1)
      invalid.push({ field: name, reason: 'must be sent only once', rule: 'repeated' });
    else if (error) invalid.push(...error.issues.map((issue) => ({ field: name, ...violationIn(issue) })));
    else values[name] = data;
  }
  throwIfAny([...invalid, ...unknownNames(sent.keys(), declared, 'is not a parameter of this operation')]);
  // Each value has the type of its parameter, but TypeScript cannot infer that through the loop.
  return values as ParameterValues<Declared>;
}
