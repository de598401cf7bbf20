import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NodejsFunction } from 'aws-cdk-lib/aws-lambda-nodejs';
import { App, Stack } from 'aws-cdk-lib/core';
import { expect, it, onTestFinished, vi } from 'vitest';
import { createCatalogClient, unwrap } from '../../client/http/catalogClient.ts';
import { bundling, commonProps } from '../../infra/constructs/bundling.ts';
import { startOwnService, stop } from '../support/programs/ownService.ts';
import { root } from '../support/programs/program.ts';
import { temporaryFolder } from '../support/programs/serviceFolder.ts';

const folder = temporaryFolder();

it('the asset of a function does not depend on the folder that it is built in, in which debuggers find its sources', () => {
  // The CDK says that it is bundling.
  onTestFinished(vi.spyOn(process.stderr, 'write').mockReturnValue(true).mockRestore);
  const [one, other] = ['one', 'some/where/else'].map((name) => {
    const outdir = join(folder, name);
    const app = new App({ outdir });
    const stack = new Stack(app, 'stack');
    new NodejsFunction(stack, 'getItem', { ...commonProps(stack, 'getItem'), bundling });
    const [asset = ''] = readdirSync(app.synth().directory).filter((file) => file.startsWith('asset.'));
    return { asset, map: join(outdir, asset, 'index.js.map') };
  });
  expect(other?.asset).toBe(one?.asset);
  const named: string[] = JSON.parse(readFileSync(one?.map ?? '', 'utf8')).sources;
  expect(named).toContain('../../lib/store/records/itemRecord.ts');
  expect(named.filter((source) => !existsSync(join(root, 'cdk.out/asset', source)))).toEqual([]);
});

it('npm start --bundled runs the bundles', async () => {
  const { child, service } = await startOwnService(temporaryFolder(), '0', ['--bundled']);
  onTestFinished(() => stop(child, 'SIGTERM'));
  const client = createCatalogClient({ baseUrl: service.url, getAccessToken: async () => service.tokens.editor });
  const body = { name: 'Chair' };
  expect(unwrap(await client.POST('/api/v1/api/v1/items', { body }))).toMatchObject({ data: body });
});
