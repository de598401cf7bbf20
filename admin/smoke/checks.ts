import { gzipSync } from 'node:zlib';
import { createToken } from '../../lib/access/tokenFormat.ts';
import { itemPath, type Operation, operations } from '../../lib/http/operations.ts';
import type { ErrorCode, InvalidField } from '../../lib/item/errors.ts';
import type { Item } from '../../lib/item/item.ts';
import { limits } from '../../lib/item/limits.ts';
import {
  type Api,
  expectError,
  expectStatus,
  SmokeFailure,
  type SmokeRequest,
  type SmokeResponse,
} from './smokeApi.ts';

export interface SmokeCheck {
  /** Starts the sentence that reports a failure. It is or starts with the function's name, if one is called. */
  readonly name: string;
  /** Whether the checks after this one depend on it. */
  readonly isRequired?: boolean;
  /** @throws SmokeFailure if the API does not respond as expected */
  run(api: Api): Promise<void>;
}

/**
 * A check that needs one request.
 * @param expected the error, or the statuses of which the response has one
 * @param request called for each attempt
 */
export const expecting = (
  name: string,
  expected: ErrorCode | readonly number[],
  request: () => SmokeRequest,
): SmokeCheck => ({
  name,
  run: async (api) => {
    const response = await api.send(request());
    if (typeof expected === 'string') expectError(response, expected);
    else expectStatus(response, ...expected);
  },
});

const { createItem, getCatalog, getItem, listChanges, listItems, updateDefaults, updateItem, writeItems } = operations;

/**
 * Checks of what API Gateway answers by itself.
 * @param origin one whose pages may call the API; undefined if that is not to be checked
 */
const gatewayChecks = (origin?: string): readonly SmokeCheck[] => [
  {
    name: 'A preflight request',
    run: async (api) => {
      const headers = { origin: origin ?? 'https://smoke.test', 'access-control-request-method': createItem.method };
      const response = await api.send({ ...createItem, method: 'OPTIONS', headers });
      expectStatus(response, 204);
      const allowed = response.headers.get('access-control-allow-methods') ?? '';
      if (!allowed.split(',').includes(createItem.method))
        throw new SmokeFailure(`allows ${allowed || 'no methods'}, not ${createItem.method}`, response);
      const page = response.headers.get('access-control-allow-origin');
      if (origin !== undefined && page !== origin)
        throw new SmokeFailure(`allows ${page ?? 'no'} pages, not those of ${origin}`, response);
    },
  },
  expecting('A request to an unknown route', 'NOT_FOUND', () => ({ method: 'GET', path: '/smoke' })),
  {
    // Sends and accepts JSON, which is a binary media type that API Gateway must convert to text for this response.
    name: 'A request with an unsupported method',
    run: async (api) => {
      const headers = { accept: 'application/json' };
      const response = await api.send({ ...createItem, method: 'PATCH', headers, body: {} });
      expectError(response, 'METHOD_NOT_ALLOWED');
      if (!response.headers.get('allow')?.includes(createItem.method))
        throw new SmokeFailure(`got no ${createItem.method} in Allow`, response);
    },
  },
];

const withoutToken = (operation: Operation): SmokeCheck =>
  expecting(`${operation} without a token`, 'UNAUTHORIZED', () => {
    const { method, path } = operations[operation];
    return { method, path: path.replace('{id}', '1') };
  });

export const unknownToken: SmokeCheck = {
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
export const anonymousChecks = (origin?: string): readonly SmokeCheck[] => [
  ...gatewayChecks(origin),
  withoutToken('createItem'),
  unknownToken,
];

/** The only item of the checks below. Its SKU keeps them from creating another one. */
export const ownItem = { name: 'Smoke test', sku: 'CATALOG-SMOKE-TEST', active: false };

/** Long enough for the response to be compressed, and different each time. */
const newDescription = (): string => `Written by a smoke test at ${new Date().toISOString()}. `.repeat(20);

/**
 * Checks that call every function and write to the table. However often they run, even several at once, they leave one
 * inactive item in the caller's account.
 * @param token a token with `catalog:edit`
 * @param further checks to follow, of the item whose path a function tells them
 */
export function signedInChecks(
  token: string,
  further: (path: () => string) => readonly SmokeCheck[] = () => [],
): SmokeCheck[] {
  let path = '';
  return [
    expecting('getCatalog', [200], () => ({ ...getCatalog, token })),
    expecting('listChanges', [200], () => ({ ...listChanges, token })),
    expecting('listItems', [200], () => ({ ...listItems, path: `${listItems.path}?include_inactive=true`, token })),
    // It needs a permission that the token need not have, and changes nothing.
    expecting('configureCatalog', [403, 400], () => ({ ...updateDefaults, token, body: {} })),
    {
      name: 'createItem',
      isRequired: true,
      run: async (api) => {
        const response = await api.send({ ...createItem, token, body: { ...ownItem, description: newDescription() } });
        expectStatus(response, 201, 409);
        path = itemPath(idIn(response));
      },
    },
    {
      name: 'getItem',
      run: async (api) => {
        const response = await api.send({ ...getItem, path, token, headers: { 'accept-encoding': 'gzip' } });
        expectItem(response, { sku: ownItem.sku });
        if (response.headers.get('content-encoding') !== 'gzip') throw new SmokeFailure('is not compressed', response);
      },
    },
    {
      name: 'updateItem',
      run: async (api) => {
        const change = { description: newDescription() };
        const packed = gzipSync(JSON.stringify(change));
        expectItem(await api.send({ ...updateItem, path, token, ...encoded('gzip', packed) }), change);
      },
    },
    {
      // It changes no value, so no change is recorded.
      name: 'writeItems',
      run: async (api) => {
        const headers = { 'idempotency-key': crypto.randomUUID() };
        const body = { match: 'sku', rows: [{ sku: ownItem.sku, active: ownItem.active }] };
        expectRows(await api.send({ ...writeItems, token, headers, body }), 200);
      },
    },
    ...further(() => path),
  ];
}

/** How old the newest change may be of an item that is updated every minute, in milliseconds. */
const longestLag = 5 * 60_000;

/** Checks that what the heartbeat has changed in its item was recorded. */
const recordedChecks =
  (token: string) =>
  (path: () => string): SmokeCheck[] => [
    {
      name: 'recordChanges',
      run: async (api) => {
        const response = await api.send({ ...operations.listItemChanges, path: `${path()}/changes?limit=1`, token });
        expectStatus(response, 200);
        const { data } = response.body as { data: { updated_at: string }[] };
        const newest = data[0]?.updated_at;
        if (newest === undefined || Date.parse(newest) < Date.now() - longestLag)
          throw new SmokeFailure(`has recorded nothing of the item since ${newest ?? 'it was created'}`, response);
      },
    },
  ];

/** The checks of the heartbeat, which leave nothing behind but its own item. */
export const heartbeatChecks = (token: string | undefined, origin?: string): SmokeCheck[] => [
  ...anonymousChecks(origin),
  ...(token === undefined ? [] : signedInChecks(token, recordedChecks(token))),
];

/**
 * All checks. Only a deployment can break what they add to the others.
 * @param isHeartbeats whether the token is the heartbeat's, whose item changes every minute
 */
export const smokeChecks = (token: string | undefined, isHeartbeats = false): SmokeCheck[] => [
  ...gatewayChecks(),
  ...(Object.keys(operations) as Operation[]).map(withoutToken),
  unknownToken,
  ...(token === undefined
    ? []
    : [...signedInChecks(token, isHeartbeats ? recordedChecks(token) : undefined), ...formatChecks(token)]),
];

const formatChecks = (token: string): SmokeCheck[] => [
  expecting('getCatalog with HEAD', [200], () => ({ ...getCatalog, method: 'HEAD', token })),
  expecting('createItem with a compressed body that is too large', 'PAYLOAD_TOO_LARGE', () => {
    const body = gzipSync(Buffer.alloc(limits.body + 1));
    return { ...createItem, token, ...encoded('gzip', body) };
  }),
  expecting('createItem with a body in an unknown content coding', 'UNSUPPORTED_MEDIA_TYPE', () => ({
    ...createItem,
    token,
    ...encoded('br', Buffer.from('{}')),
  })),
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

export function expectRows(response: SmokeResponse, ...statuses: readonly number[]): void {
  expectStatus(response, 200);
  const { data } = (response.body ?? {}) as { data?: unknown };
  const got = Array.isArray(data) ? data.map(({ status }) => status).join() : 'none';
  if (got !== statuses.join()) throw new SmokeFailure(`got rows with ${got}, not ${statuses}`, response);
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
