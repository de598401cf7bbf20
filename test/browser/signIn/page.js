/* global authority, api, resource, location, document, localStorage */
import { UserManager } from 'oidc-client-ts';
import { listItems } from '../../../client/items/readItems.ts';
import { importRows } from '../../../client/public/importRows.ts';
import { createCatalogClient, loadCatalog } from '../../../client/public/index.ts';

const home = `${location.origin}/`;
const users = new UserManager({
  ...{ authority, client_id: 'frontend', redirect_uri: home, post_logout_redirect_uri: home, resource },
  scope: 'openid offline_access catalog:edit catalog:cost:read catalog:admin', // whoever signs in
  prompt: 'consent', // or else this provider issues no refresh token
  accessTokenExpiringNotificationTimeInSeconds: 5,
});
let tokens = new Set();
const client = createCatalogClient({
  baseUrl: api,
  getAccessToken: async () => {
    const token = (await users.getUser())?.access_token ?? '';
    tokens.add(token);
    return token;
  },
});

/** @returns with how many tokens so many rows were imported, how many were refused, and how many names there are */
async function importMany(count) {
  tokens = new Set();
  const names = new Set();
  const rows = Array.from({ length: count }, (_, row) => ({ name: `Row ${row} of ${count}` }));
  let last;
  for await (last of importRows(client, rows, { storage: localStorage }));
  const used = tokens.size;
  for await (const { name } of listItems(client, { limit: 100 })) names.add(name);
  return { tokens: used, refused: last.rejected, names: names.size };
}

const tryToCreate = async () => (await client.POST('/api/v1/api/v1/items', { body: { name: 'Desk' } })).response.status;
const signOut = () =>
  users
    .revokeTokens(['refresh_token'])
    .catch(() => undefined)
    .then(() => users.signoutRedirect());
const granted = () =>
  loadCatalog(client).then(
    ({ permissions }) => permissions,
    ({ status }) => status,
  );
Object.assign(globalThis, { users, signOut, granted, tryToCreate, importMany });

if (location.search.includes('code=')) await users.signinCallback();
document.body.dataset.signedIn = String((await users.getUser()) !== null);
