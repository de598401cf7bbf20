import { randomUUID } from 'node:crypto';
import { operations } from '../../lib/http/operations.ts';
import { expecting, expectRows, ownItem, type SmokeCheck, signedInChecks, unknownToken } from './checks.ts';
import { expectStatus } from './smokeApi.ts';

const { createItem, getCatalog, listChanges, listItems, updateCategory, updateItem, writeItems } = operations;

/**
 * The checks that need nothing but the functions, and a caller with the permission `catalog:admin`.
 * @param issuers the identity providers
 */
export const functionChecks = (token: string, issuers: readonly string[] = []): SmokeCheck[] => [
  unknownToken,
  ...issuers.map(providerCheck),
  ...signedInChecks(token, (path) => rightsChecks(token, path)),
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

/** Checks that use the rights of a function that the other checks do not use, and change nothing. */
const rightsChecks = (token: string, path: () => string): SmokeCheck[] => [
  expecting('configureCatalog with a category that does not exist', 'CATEGORY_NOT_FOUND', () => {
    const category = updateCategory.path.replace('{id}', String(never));
    return { ...updateCategory, path: category, token, body: { archived: false } };
  }),
  expecting('createItem with a key and a category that does not exist', [422], () => {
    const headers = { 'idempotency-key': randomUUID() };
    return { ...createItem, token, headers, body: { ...ownItem, category: never } };
  }),
  ...['sku', 'pn'].map((name) =>
    expecting(`listItems with the ${name} of the item`, [200], () => {
      return { ...listItems, path: `${listItems.path}?${name}=${ownItem.sku}`, token };
    }),
  ),
  expecting('updateItem with another SKU under a revision that the item does not have', [412], () => {
    const headers = { 'if-match': `"${never}"` };
    return { ...updateItem, path: path(), token, headers, body: { sku: `${ownItem.sku}-2` } };
  }),
  {
    name: 'writeItems with a taken SKU, and with another one under a revision that the item does not have',
    run: async (api) => {
      const id = Number(path().split('/').at(-1));
      const rows = [ownItem, { id, revision: never, sku: `${ownItem.sku}-2` }];
      expectRows(await api.send({ ...writeItems, token, body: { rows } }), 409, 412);
    },
  },
  {
    name: 'listChanges with a cursor',
    run: async (api) => {
      const { body } = await api.send({ ...listChanges, token });
      const { next_cursor: cursor } = body as { next_cursor: string };
      expectStatus(await api.send({ ...listChanges, path: `${listChanges.path}?cursor=${cursor}`, token }), 200);
    },
  },
];
