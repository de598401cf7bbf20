import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findContainerEngine } from '../../../../infra/tools/sam/containerEngine.ts';
import { startContainerEngine } from './startContainerEngine.ts';

const versions = {
  docker: { Platform: { Name: '' }, Components: [{ Name: 'Engine' }, { Name: 'containerd' }] },
  'docker-desktop': { Platform: { Name: 'Docker Desktop 4.40.0 (187762)' }, Components: [{ Name: 'Engine' }] },
  podman: { Platform: { Name: 'linux/amd64/debian-12' }, Components: [{ Name: 'Podman Engine' }] },
};
const subnet = '172.17.0.0/16';

const failing = (code: string) => async (address: string) => {
  throw Object.assign(new Error(code), { code, address: address.replace('unix://', '') });
};

describe('the container engine', () => {
  it.each(Object.entries(versions))('is recognised as %s', async (kind, version) => {
    const { address } = await startContainerEngine({ '/version': version });
    expect(await findContainerEngine({ DOCKER_HOST: address })).toMatchObject({ kind });
  });

  it.each([
    [{ SecurityOptions: ['name=seccomp,profile=default', 'name=rootless'] }, true],
    [{ SecurityOptions: ['name=seccomp,profile=default'] }, false],
    [{}, false],
  ])('with %j is recognised as rootless or not', async (info, isRootless) => {
    const { address } = await startContainerEngine({ '/info': info });
    expect(await findContainerEngine({ DOCKER_HOST: address })).toMatchObject({ isRootless });
  });

  it.each([
    ['both', [{ Subnet: subnet, Gateway: '172.17.0.1' }], [{ subnet, gateway: '172.17.0.1' }]],
    ['no gateway', [{ Subnet: subnet }], [{ subnet, gateway: undefined }]],
    ['nothing', undefined, []],
  ])('reports %s of its network', async (_, Config, networks) => {
    const { address } = await startContainerEngine({ '/networks/bridge': { IPAM: { Config } } });
    expect(await findContainerEngine({ DOCKER_HOST: address })).toMatchObject({ networks });
  });

  it('may have no default network', async () => {
    const { address } = await startContainerEngine({ '/networks/bridge': undefined });
    expect(await findContainerEngine({ DOCKER_HOST: address })).toMatchObject({ networks: [] });
  });

  it('may be at a TCP address', async () => {
    const { address } = await startContainerEngine();
    const server = createServer((client) => {
      client.pipe(connect(address.replace('unix://', ''))).pipe(client);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await findContainerEngine({ DOCKER_HOST: `tcp://127.0.0.1:${port}` })).toMatchObject({
      kind: 'docker-desktop',
    });
  });

  it.each([
    [{}, 'unix:///var/run/docker.sock'],
    [{ DOCKER_HOST: '' }, 'unix:///var/run/docker.sock'],
    [{ DOCKER_HOST: 'unix:///run/podman.sock' }, 'unix:///run/podman.sock'],
  ])('with %j is searched for like SAM does, and then at the socket of Finch', async (env, first) => {
    const asked = new Set<string>();
    const ask = async (address: string) => {
      asked.add(address);
      if (address === first) throw new Error('nobody there');
      return {};
    };
    expect(await findContainerEngine(env, ask)).toEqual({ kind: 'docker', isRootless: false, networks: [] });
    expect([...asked]).toEqual([first, expect.stringMatching(/^unix:\/\/\/.*finch\.sock$/)]);
  });

  it.each(['ENOENT', 'ECONNREFUSED'])('is not running after %s', async (code) => {
    await expect(findContainerEngine({}, failing(code))).rejects.toThrow(
      'SAM runs functions in containers, but no container engine is running: start Docker or Finch, or set DOCKER_HOST to the socket of Podman.',
    );
  });

  it('is not accessible to the user after EACCES', async () => {
    await expect(findContainerEngine({}, failing('EACCES'))).rejects.toThrow(
      'SAM runs functions in containers, but you may not use the container engine: your user must be in the group of its socket /var/run/docker.sock (usually docker).',
    );
  });

  it('cannot be reached over SSH', async () => {
    await expect(findContainerEngine({ DOCKER_HOST: 'ssh://build' })).rejects.toThrow(
      'DOCKER_HOST must be a Unix socket or a TCP address on this machine, not ssh://build.',
    );
  });
});
