import { createToken } from '../access/tokenFormat.ts';
import { itemPath, routes } from '../http/routes.ts';
import { expectError, expectStatus, type SmokeApi, SmokeFailure } from './smokeApi.ts';

export interface SmokeCheck {
  /** Starts the sentence that reports a failure. */
  readonly name: string;
  /** @throws SmokeFailure if the API does not respond as expected */
  run(api: SmokeApi): Promise<void>;
}

const { createItem, updateItem } = routes;

/** Checks that need no token. Together they exercise the domain, the gateway, the authorizer and the table. */
export const anonymousChecks: readonly SmokeCheck[] = [
  {
    name: 'A preflight request',
    run: async (api) => {
      const headers = { origin: 'https://smoke.test', 'access-control-request-method': createItem.method };
      const answer = await api.send({ ...createItem, method: 'OPTIONS', headers });
      expectStatus(answer, 204);
      const allowed = answer.headers.get('access-control-allow-methods') ?? '';
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
    name: 'A request with an unknown method',
    run: async (api) => {
      const headers = { accept: 'application/json' };
      const answer = await api.send({ ...createItem, method: 'PATCH', headers, body: {} });
      expectError(answer, 'NOT_FOUND');
      if (!answer.headers.get('allow')?.includes(createItem.method))
        throw new SmokeFailure(`got no ${createItem.method} in Allow`);
    },
  },
];

/** The route that reads a single item, if there is one. */
const readItem = Object.values<{ readonly method: string; readonly path: string }>(routes).find(
  ({ method, path }) => method === 'GET' && path === updateItem.path,
);

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
  const asCreated = { name: 'Smoke test', value: 1.25, active: true };
  const archived = { name: 'Smoke test, archived', active: false };
  const checks: (SmokeCheck | undefined)[] = [
    {
      name: 'Creating an item',
      run: async (api) => {
        const answer = await api.send({ ...createItem, token, body: asCreated });
        expectStatus(answer, 201);
        const id = expectItem(answer.body, asCreated);
        created = { id, path: itemPath(id) };
      },
    },
    readItem && {
      name: 'Reading it',
      run: async (api) => {
        const answer = await api.send({ method: readItem.method, path: created.path, token });
        expectStatus(answer, 200);
        expectItem(answer.body, { id: created.id, ...asCreated });
      },
    },
    {
      name: 'Updating and archiving it',
      run: async (api) => {
        const answer = await api.send({ method: updateItem.method, path: created.path, token, body: archived });
        expectStatus(answer, 200);
        expectItem(answer.body, { id: created.id, ...asCreated, ...archived });
      },
    },
  ];
  return checks.filter((check) => check !== undefined);
}
