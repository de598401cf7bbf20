import { type Client, type ClientOptions, createCatalogClient } from '../../../client/public/index.ts';
import type { TestApi } from '../api/testApi.ts';

/** A client whose requests are answered by a function, in place of a service. */
export const clientAnsweredBy = (fetch: ClientOptions['fetch']): Client =>
  createCatalogClient({ baseUrl: 'http://catalog.test', getAccessToken: async () => 'token', fetch });

/** A client of a test's service, with the token of one of its demo users. */
export const clientOf = (
  { url, tokens }: Pick<TestApi, 'url' | 'tokens'>,
  user: keyof TestApi['tokens'] = 'editor',
  fetch?: ClientOptions['fetch'],
): Client => createCatalogClient({ baseUrl: url, getAccessToken: async () => tokens[user], fetch });
