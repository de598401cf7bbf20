import { routes } from '../../lib/http/routes.ts';
import type { ApiRequest } from '../support/apiRequests.ts';
import { create, update } from '../support/apiRequests.ts';
import { invalid, nothingToUpdate, type Refusal } from '../support/refusals.ts';
import type { RefusedCase, Target } from './refusedCase.ts';

const noRoute: Refusal = { status: 404, code: 'NOT_FOUND' };
const unsupported: Refusal = { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' };
const tooLarge: Refusal = { status: 413, code: 'PAYLOAD_TOO_LARGE' };
const invalidJson: Refusal = { status: 400, code: 'INVALID_JSON' };

/** A body of so many bytes, all of it in the field that may be longest. */
const bodyOf = (bytes: number): string => {
  const [start, end] = ['{"name":"Chair","description":"', '"}'];
  return start + 'x'.repeat(bytes - start.length - end.length) + end;
};

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

const items = routes.createItem.path;
const item = `${items}/1`;

const unknownRoutes = [
  ['POST', '/'],
  ['POST', '/items'],
  ['POST', '/api/v1/items'],
  ['POST', `${items}x`],
  ['PUT', `${item}/2`],
  ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, items]),
  ...['GET', 'POST', 'PATCH', 'DELETE'].map((method) => [method, item]),
] as [string, string][];

const mediaTypes: readonly [string, string | readonly string[] | undefined][] = [
  ['no Content-Type', undefined],
  ['an empty Content-Type', ''],
  ['text/plain', 'text/plain'],
  ['a form', 'application/x-www-form-urlencoded'],
  ['a charset of latin1', 'application/json; charset=latin1'],
  ['a Content-Type twice', ['application/json', 'application/json']],
  ['two Content-Types', ['text/plain', 'application/json']],
];

const bodies: readonly [string, string | Buffer, Refusal][] = [
  ['a body of 256 KiB and a byte', bodyOf(256 * 1024 + 1), tooLarge],
  ['a body of 256 KiB, which is read', bodyOf(256 * 1024), invalid('description')],
  ['a body of 10 MB and a byte', Buffer.alloc(10 * 1024 * 1024 + 1, ' '), tooLarge],
  ['500,000 nested arrays', nested(500_000), tooLarge],
  ['500,000 arrays that are not closed', '['.repeat(500_000), tooLarge],
  ['130,000 nested arrays', nested(130_000), invalidJson],
  ['130,000 arrays that are not closed', '['.repeat(130_000), invalidJson],
  ['an object that is not closed', '{"name":"a"', invalidJson],
  ['single quotes', "{'a':1}", invalidJson],
  ['a trailing comma', '{"a":1,}', invalidJson],
  ['NaN', 'NaN', invalidJson],
  ['NaN for a value', '{"name":"a","value":NaN}', invalidJson],
  ['blanks only', ' \r\n\t', invalidJson],
  ['two objects', '{"name":"a"}{"name":"b"}', invalidJson],
  ['a byte order mark', Buffer.from('\uFEFF{"name":"a"}'), invalidJson],
  ['invalid UTF-8', Buffer.from('{"name":"\xFF"}', 'latin1'), invalidJson],
  ['UTF-8 that breaks off', Buffer.from('{"name":"\xE2\x82"}', 'latin1'), invalidJson],
  ['a surrogate in UTF-8', Buffer.from('{"name":"\xED\xA0\x80"}', 'latin1'), invalidJson],
  ['UTF-16', Buffer.from('{"name":"a"}', 'utf16le'), invalidJson],
  ['base64 of a good body', Buffer.from('{"name":"a"}').toString('base64'), invalidJson],
  ['an array', '[]', invalidJson],
  ['null', 'null', invalidJson],
  ['a string', '"x"', invalidJson],
  ['a number', '1', invalidJson],
];

const manyUnknown = JSON.stringify(Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`x${index}`, 1])));

/** Bodies in which no field is sent: a create lacks the name, an update has nothing to do (spec 4.2 rule 7). */
const withoutFields: readonly [string, string][] = [
  ['an empty body', ''],
  ['an empty object', '{}'],
  ['unknown fields only', '{"Name":"a","price":1}'],
  ['1,000 unknown fields', manyUnknown],
  ['response-only fields', '{"id":1,"category_name":"General","create_date":"2026-11-20T23:10:00+00:00"}'],
  ['fields within __proto__', '{"__proto__":{"name":"a","value":1}}'],
  ['fields within constructor', '{"constructor":{"prototype":{"name":"a"}}}'],
];

const operations: readonly [string, (target: Target, ...parts: Parameters<typeof create>) => ApiRequest][] = [
  ['create', (_, ...parts) => create(...parts)],
  ['update', (target, ...parts) => update(target.item, ...parts)],
];

/** Requests that are refused for how they are sent. */
export const refusedFraming: readonly RefusedCase[] = [
  ...unknownRoutes.map(([method, path]) => ({
    ...noRoute,
    title: `${method} ${path}`,
    request: () => ({ method, path, body: '{"name":"Chair"}' }),
  })),
  ...operations.flatMap(([operation, request]): RefusedCase[] => [
    ...mediaTypes.map(([title, type]) => ({
      ...unsupported,
      title: `${operation} with ${title}`,
      request: (target: Target) => request(target, '{"name":"Chair"}', { 'content-type': type }),
    })),
    ...bodies.map(([title, body, refusal]) => ({
      ...refusal,
      title: `${operation} with ${title}`,
      request: (target: Target) => request(target, body),
    })),
    ...withoutFields.map(([title, body]) => ({
      ...(operation === 'create' ? invalid('name') : nothingToUpdate),
      title: `${operation} with ${title}`,
      request: (target: Target) => request(target, body),
    })),
    {
      ...(operation === 'create' ? invalid('name') : nothingToUpdate),
      title: `${operation} with neither body nor Content-Type`,
      request: (target: Target) => request(target, '', { 'content-type': undefined }),
    },
  ]),
];
