import { randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { itemPath, type Operation, operations } from '../../lib/http/operations.ts';
import type { ErrorCode, InvalidField } from '../../lib/item/errors.ts';
import { identifierNames } from '../../lib/item/fields.ts';
import type { Item } from '../../lib/item/item.ts';
import { limits } from '../../lib/item/limits.ts';
import type { SmokeCheck } from './runChecks.ts';
import { expectError, expectStatus, SmokeFailure, type SmokeRequest, type SmokeResponse } from './smokeApi.ts';

/**
 * A check that needs one request.
 * @param expected the error, the statuses of which the response has one, or a function that throws a SmokeFailure
 * @param request called for each attempt
 */
const expecting = (
  name: string,
  expected: ErrorCode | readonly number[] | ((response: SmokeResponse) => void),
  request: () => SmokeRequest,
): SmokeCheck => ({
  name,
  run: async (send) => {
    const response = await send(request());
    if (typeof expected === 'function') expected(response);
    else if (typeof expected === 'string') expectError(response, expected);
    else expectStatus(response, ...expected);
  },
});

/** The same checks, whose requests have a token. */
const withToken = (token: string, checks: readonly SmokeCheck[]): SmokeCheck[] =>
  checks.map((check) => ({ ...check, run: (send) => check.run((request) => send({ token, ...request })) }));

const { createItem, getCatalog, getItem, listChanges, listItemChanges, listItems, updateItem, writeItems } = operations;

/**
 * Checks of what API Gateway answers by itself.
 * @param origin one whose pages may call the API; undefined if that is not to be checked
 */
const gatewayChecks = (origin?: string): readonly SmokeCheck[] => [
  expecting(
    'A preflight request',
    (response) => {
      expectStatus(response, 204);
      const allowed = response.headers.get('access-control-allow-methods') ?? '';
      if (!allowed.split(',').includes(createItem.method))
        throw new SmokeFailure(`allows ${allowed || 'no methods'}, not ${createItem.method}`, response);
      const page = response.headers.get('access-control-allow-origin');
      if (origin !== undefined && page !== origin)
        throw new SmokeFailure(`allows ${page ?? 'no'} pages, not those of ${origin}`, response);
    },
    () => {
      const headers = { origin: origin ?? 'https://smoke.test', 'access-control-request-method': createItem.method };
      return { ...createItem, method: 'OPTIONS', headers };
    },
  ),
  expecting('A request to an unknown route', 'NOT_FOUND', () => ({ method: 'GET', path: '/smoke' })),
  expecting(
    'A request with an unsupported method',
    (response) => {
      expectError(response, 'METHOD_NOT_ALLOWED');
      if (!response.headers.get('allow')?.includes(createItem.method))
        throw new SmokeFailure(`got no ${createItem.method} in Allow`, response);
    },
    // Sends and accepts JSON, which is a binary media type that API Gateway must convert to text for this response.
    () => ({ ...createItem, method: 'PATCH', headers: { accept: 'application/json' }, body: {} }),
  ),
];

const withoutToken = (operation: Operation): SmokeCheck =>
  expecting(`${operation} without a token`, 'UNAUTHORIZED', () => {
    const { method, path } = operations[operation];
    return { method, path: path.replace('{id}', '1') };
  });

const unknownToken: SmokeCheck = {
  // The token's checksum is valid, so the authorizer looks it up in the table.
  ...expecting('authorizer with an unknown token', 'UNAUTHORIZED', () => ({
    ...createItem,
    token: createToken(),
    body: {},
  })),
  isRequired: true,
};

/**
 * Checks that need no token. Together they exercise the domain, the gateway, the authorizer and the table.
 * @param origin one whose pages may call the API, if that is to be checked
 */
export const anonymousChecks = (origin?: string, called: readonly Operation[] = ['createItem']): SmokeCheck[] => [
  ...gatewayChecks(origin),
  ...called.map(withoutToken),
  unknownToken,
];

/** The only item of the checks below. Its SKU keeps them from creating another one. */
const ownItem = { name: 'Smoke test', sku: 'CATALOG-SMOKE-TEST', active: false };

/** Long enough for the response to be compressed, and different each time. */
const newDescription = (): string => `Written by a smoke test at ${new Date().toISOString()}. `.repeat(20);

/**
 * Checks that call every function and write to the table. However often they run, even several at once, they leave one
 * inactive item in the caller's account.
 * @param token a token with `catalog:edit`
 * @param further returns checks to append, given a function that returns the item's path
 */
export function signedInChecks(
  token: string,
  further: (path: () => string) => readonly SmokeCheck[] = () => [],
): SmokeCheck[] {
  let path = '';
  let description = '';
  return withToken(token, [
    expecting('getCatalog', [200], () => getCatalog),
    expecting('listChanges', [200], () => listChanges),
    expecting('listItems', [200], () => ({ ...listItems, path: `${listItems.path}?include_inactive=true` })),
    // It needs a permission that the token need not have, and changes nothing.
    expecting('configureCatalog', [403, 400], () => ({ ...operations.updateDefaults, body: {} })),
    {
      ...expecting(
        'createItem',
        (response) => {
          expectStatus(response, 201, 409);
          path = itemPath(idIn(response));
        },
        () => ({ ...createItem, body: { ...ownItem, description: newDescription() } }),
      ),
      isRequired: true,
    },
    expecting(
      'getItem',
      (response) => {
        expectItem(response, { sku: ownItem.sku });
        if (response.headers.get('content-encoding') !== 'gzip') throw new SmokeFailure('is not compressed', response);
      },
      () => ({ ...getItem, path, headers: { 'accept-encoding': 'gzip' } }),
    ),
    expecting(
      'updateItem',
      (response) => expectItem(response, { description }),
      () => {
        description = newDescription();
        return { ...updateItem, path, ...encoded('gzip', gzipSync(JSON.stringify({ description }))) };
      },
    ),
    // It changes no value, so no change is recorded.
    expecting('writeItems', rowsWith(200), () => {
      const rows = [{ sku: ownItem.sku, active: ownItem.active }];
      return { ...writeItems, headers: { 'idempotency-key': randomUUID() }, body: { match: 'sku', rows } };
    }),
    ...further(() => path),
  ]);
}

/** How old the newest change may be of an item that is updated every minute, in milliseconds. */
const longestLag = 5 * 60_000;

/** Checks that what the heartbeat has changed in its item was recorded. */
const recordedChecks = (path: () => string): SmokeCheck[] => [
  expecting(
    'recordChanges',
    (response) => {
      expectStatus(response, 200);
      const { data } = response.body as { data: { updated_at: string }[] };
      const newest = data[0]?.updated_at;
      if (newest === undefined || Date.parse(newest) < Date.now() - longestLag)
        throw new SmokeFailure(`has recorded nothing of the item since ${newest ?? 'it was created'}`, response);
    },
    () => ({ ...listItemChanges, path: `${path()}/changes?limit=1` }),
  ),
];

/** The checks of the heartbeat, which leave nothing behind but its own item. */
export const heartbeatChecks = (token: string | undefined, origin?: string): SmokeCheck[] => [
  ...anonymousChecks(origin),
  ...(token === undefined ? [] : signedInChecks(token, recordedChecks)),
];

/**
 * All checks. Only a deployment can break what they add to the others.
 * @param isHeartbeats whether the token is the heartbeat's, whose item changes every minute
 */
export const smokeChecks = (token: string | undefined, isHeartbeats = false): SmokeCheck[] => [
  ...anonymousChecks(undefined, Object.keys(operations) as Operation[]),
  ...(token === undefined
    ? []
    : [...signedInChecks(token, isHeartbeats ? recordedChecks : undefined), ...withToken(token, formatChecks)]),
];

const formatChecks = [
  expecting('getCatalog with HEAD', [200], () => ({ ...getCatalog, method: 'HEAD' })),
  expecting('createItem with a compressed body that is too large', 'PAYLOAD_TOO_LARGE', () => {
    return { ...createItem, ...encoded('gzip', gzipSync(Buffer.alloc(limits.body + 1))) };
  }),
  expecting('createItem with a body in an unknown content coding', 'UNSUPPORTED_MEDIA_TYPE', () => {
    return { ...createItem, ...encoded('br', Buffer.from('{}')) };
  }),
];

/**
 * The checks that need nothing but the functions, and a caller with the permission `catalog:admin`.
 * @param issuers the identity providers
 */
export const functionChecks = (token: string, issuers: readonly string[] = []): SmokeCheck[] => [
  unknownToken,
  ...issuers.map(providerCheck),
  ...signedInChecks(token, rightsChecks),
];

/** Checks that the provider's keys can be fetched: only then is a token refused that names a key which is not there. */
const providerCheck = (issuer: string): SmokeCheck =>
  expecting('authorizer with a token of the identity provider', 'UNAUTHORIZED', () => {
    const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
    // It has expired, so that it does not count as a user who is refused.
    const token = [{ alg: 'RS256', kid: randomUUID() }, { iss: issuer, exp: 1 }, {}].map(encode).join('.');
    return { ...getCatalog, token };
  });

/** A revision, or an id, that there never is. */
const never = Number.MAX_SAFE_INTEGER;
const otherSku = `${ownItem.sku}-2`;

/** Checks that use the rights of a function that the other checks do not use, and change nothing. */
const rightsChecks = (path: () => string): SmokeCheck[] => [
  expecting('configureCatalog with a category that does not exist', 'CATEGORY_NOT_FOUND', () => {
    const { method, path: category } = operations.updateCategory;
    return { method, path: category.replace('{id}', String(never)), body: { archived: false } };
  }),
  expecting('createItem with a key and a category that does not exist', [422], () => {
    return { ...createItem, headers: { 'idempotency-key': randomUUID() }, body: { ...ownItem, category: never } };
  }),
  ...identifierNames.map((name) =>
    expecting(`listItems with the ${name} of the item`, [200], () => {
      return { ...listItems, path: `${listItems.path}?${name}=${ownItem.sku}` };
    }),
  ),
  expecting('updateItem with another SKU under a revision that the item does not have', [412], () => {
    return { ...updateItem, path: path(), headers: { 'if-match': `"${never}"` }, body: { sku: otherSku } };
  }),
  expecting(
    'writeItems with a taken SKU, and with another one under a revision that the item does not have',
    rowsWith(409, 412),
    () => {
      const id = Number(path().split('/').at(-1));
      return { ...writeItems, body: { rows: [ownItem, { id, revision: never, sku: otherSku }] } };
    },
  ),
  {
    name: 'listChanges with a cursor',
    run: async (send) => {
      const { body } = await send(listChanges);
      const { next_cursor: cursor } = body as { next_cursor: string };
      expectStatus(await send({ ...listChanges, path: `${listChanges.path}?cursor=${cursor}` }), 200);
    },
  },
];

const encoded = (coding: string, body: Buffer) => ({ headers: { 'content-encoding': coding }, body });

interface Answer {
  readonly data?: Partial<Item>;
  readonly error?: { readonly fields?: readonly InvalidField[] };
}

/** The id of the item that was created, or that has its SKU already. */
function idIn(response: SmokeResponse): number {
  const { data, error } = (response.body ?? {}) as Answer;
  const id = data?.id ?? error?.fields?.[0]?.item;
  if (id === undefined) throw new SmokeFailure(`got ${JSON.stringify(response.body)}, which names no item`, response);
  return id;
}

function rowsWith(...statuses: readonly number[]): (response: SmokeResponse) => void {
  return (response) => {
    expectStatus(response, 200);
    const { data } = (response.body ?? {}) as { data?: unknown };
    const got = Array.isArray(data) ? data.map(({ status }) => status).join() : 'none';
    if (got !== statuses.join()) throw new SmokeFailure(`got rows with ${got}, not ${statuses}`, response);
  };
}

function expectItem(response: SmokeResponse, expected: Partial<Item>): void {
  expectStatus(response, 200);
  const { data = {} } = (response.body ?? {}) as Answer;
  for (const [field, value] of Object.entries(expected)) {
    const got = data[field as keyof Item];
    if (got !== value)
      throw new SmokeFailure(`got ${field} ${JSON.stringify(got)}, not ${JSON.stringify(value)}`, response);
  }
}
