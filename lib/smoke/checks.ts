import { gzipSync } from 'node:zlib';
import { createToken } from '../access/tokenFormat.ts';
import { itemPath, operations } from '../http/operations.ts';
import { limits } from '../item/limits.ts';
import { expectError, expectStatus, type SmokeApi, SmokeFailure } from './smokeApi.ts';

export interface SmokeCheck {
  /** Starts the sentence that reports a failure. */
  readonly name: string;
  /** @throws SmokeFailure if the API does not respond as expected */
  run(api: SmokeApi): Promise<void>;
}

const { createItem, getItem, updateItem } = operations;

/** Checks that need no token. Together they exercise the domain, the gateway, the authorizer and the table. */
export const anonymousChecks: readonly SmokeCheck[] = [
  {
    name: 'A preflight request',
    run: async (api) => {
      const headers = { origin: 'https://smoke.test', 'access-control-request-method': createItem.method };
      const response = await api.send({ ...createItem, method: 'OPTIONS', headers });
      expectStatus(response, 204);
      const allowed = response.headers.get('access-control-allow-methods') ?? '';
      if (!allowed.split(',').includes(createItem.method))
        throw new SmokeFailure(`allows ${allowed || 'no methods'}, not ${createItem.method}`);
    },
  },
  {
    name: 'A request without a token',
    run: async (api) => expectError(await api.send({ ...createItem, body: {} }), 'UNAUTHORIZED'),
  },
  {
    // The token's checksum is valid, so the authorizer looks it up in the table.
    name: 'A request with an unknown token',
    run: async (api) => expectError(await api.send({ ...createItem, token: createToken(), body: {} }), 'UNAUTHORIZED'),
  },
  {
    name: 'A request to an unknown route',
    run: async (api) => expectError(await api.send({ method: 'GET', path: '/smoke' }), 'NOT_FOUND'),
  },
  {
    // Sends and accepts JSON, which is a binary media type that API Gateway must convert to text for this response.
    name: 'A request with an unsupported method',
    run: async (api) => {
      const headers = { accept: 'application/json' };
      const response = await api.send({ ...createItem, method: 'PATCH', headers, body: {} });
      expectError(response, 'METHOD_NOT_ALLOWED');
      if (!response.headers.get('allow')?.includes(createItem.method))
        throw new SmokeFailure(`got no ${createItem.method} in Allow`);
    },
  },
];

/** @param token a token with `catalog:edit`; each run leaves one inactive item in the caller's account */
export function editorChecks(token: string): SmokeCheck[] {
  let created = { id: 0, path: '' };
  const expectItem = (body: unknown, expected: Readonly<Record<string, unknown>>): number => {
    const { data = {} } = (body ?? {}) as { data?: Readonly<Record<string, unknown>> };
    const wrong = Object.keys(expected).find((field) => data[field] !== expected[field]);
    if (wrong !== undefined)
      throw new SmokeFailure(`got ${wrong} ${JSON.stringify(data[wrong])}, not ${JSON.stringify(expected[wrong])}`);
    return Number(data['id']);
  };
  // Long enough for the response to be compressed.
  const description = 'Created by the smoke test. '.repeat(100);
  const asCreated = { name: 'Smoke test', value: 1.25, description, active: true };
  const inactive = { name: 'Smoke test, inactive', active: false };
  const sendPacked = (api: SmokeApi, coding: string, body: Buffer) =>
    api.send({ method: updateItem.method, path: created.path, token, headers: { 'content-encoding': coding }, body });
  return [
    {
      name: 'Creating an item',
      run: async (api) => {
        const response = await api.send({ ...createItem, token, body: asCreated });
        expectStatus(response, 201);
        const id = expectItem(response.body, asCreated);
        created = { id, path: itemPath(id) };
      },
    },
    {
      name: 'Reading it',
      run: async (api) => {
        const headers = { 'accept-encoding': 'gzip' };
        const response = await api.send({ method: getItem.method, path: created.path, token, headers });
        expectStatus(response, 200);
        expectItem(response.body, { id: created.id, ...asCreated });
        if (response.headers.get('content-encoding') !== 'gzip') throw new SmokeFailure('is not compressed');
      },
    },
    {
      name: 'Reading only its headers',
      run: async (api) => {
        const response = await api.send({ method: 'HEAD', path: created.path, token });
        expectStatus(response, 200);
        if (response.headers.get('etag') === null) throw new SmokeFailure('got no etag');
      },
    },
    {
      name: 'Updating and deactivating it',
      run: async (api) => {
        const response = await sendPacked(api, 'gzip', gzipSync(JSON.stringify(inactive)));
        expectStatus(response, 200);
        expectItem(response.body, { id: created.id, ...asCreated, ...inactive });
      },
    },
    {
      name: 'A compressed body that is too large',
      run: async (api) =>
        expectError(await sendPacked(api, 'gzip', gzipSync(Buffer.alloc(limits.body + 1))), 'PAYLOAD_TOO_LARGE'),
    },
    {
      name: 'A body in an unknown content coding',
      run: async (api) => expectError(await sendPacked(api, 'br', Buffer.from('{}')), 'UNSUPPORTED_MEDIA_TYPE'),
    },
  ];
}
