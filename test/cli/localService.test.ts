import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { writeServiceFiles } from '../../cli/localService.ts';
import { stackName } from '../../infra/environments.ts';
import { root, temporaryFolder } from '../support/programs/program.ts';
import { sampleService } from '../support/programs/serviceFolder.ts';

it.each([
  ['http://127.0.0.1:8000', 'http://host.docker.internal:8000'],
  ['http://localhost', 'http://host.docker.internal'],
  ['http://[::1]:8000/', 'http://host.docker.internal:8000/'],
  ['http://10.0.0.1:8000', 'http://10.0.0.1:8000'],
  ['http://localhost.example:8000', 'http://localhost.example:8000'],
])('in the file for SAM, the engine at %s is %s', async (dynamodb, address) => {
  const folder = temporaryFolder();
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  writeServiceFiles(sampleService({ dynamodb }));
  cwd.mockRestore();
  const { Parameters } = JSON.parse(readFileSync(join(folder, '.local/sam.json'), 'utf8'));
  expect(Parameters).toEqual({ CATALOG_TABLE: 'catalog', AWS_ENDPOINT_URL_DYNAMODB: address });
});

it('a service that stops deletes its files, unless a later one has replaced them', () => {
  const folder = temporaryFolder();
  const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
  const file = join(folder, '.local/service.json');
  const found = () => existsSync(file) && JSON.parse(readFileSync(file, 'utf8')).url;
  const write = (port: number) => writeServiceFiles(sampleService({ url: `http://127.0.0.1:${port}` }));
  const first = write(1);
  const second = write(2);
  expect(found()).toBe('http://127.0.0.1:2');
  first.remove();
  expect(found()).toBe('http://127.0.0.1:2');
  second.remove();
  expect(readdirSync(join(folder, '.local'))).toEqual([]);
  cwd.mockRestore();
});

it('SAM is configured with that file, the name of this machine in it, and the template of dev', () => {
  const configuration = readFileSync(join(root, 'samconfig.toml'), 'utf8');
  for (const option of [
    `template_file = "cdk.out/${stackName('dev')}.template.json"`,
    'env_vars = ".local/sam.json"',
    'add_host = ["host.docker.internal:host-gateway"]',
  ])
    expect(configuration).toContain(`\n${option}\n`);
});
