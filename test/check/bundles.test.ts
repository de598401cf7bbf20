import { expect, it, onTestFinished } from 'vitest';
import { createCatalogClient, unwrap } from '../../client/public/index.ts';
import { startOwnService, stop } from '../support/programs/ownService.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';

it('npm start --bundled runs the bundles', async () => {
  const { child, service } = await startOwnService(temporaryFolder(), '0', ['--bundled']);
  onTestFinished(() => stop(child, 'SIGTERM'));
  const client = createCatalogClient({ baseUrl: service.url, getAccessToken: async () => service.tokens.editor });
  const body = { name: 'Chair' };
  expect(unwrap(await client.POST('/api/v1/api/v1/items', { body }))).toMatchObject({ data: body });
});
