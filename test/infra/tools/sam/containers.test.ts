import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { hostRoute, reachableFromContainers } from '../../../../infra/tools/sam/containers.ts';

describe('containers reach the host', () => {
  it.each([
    ['Linux', ['172.17.0.1'], ['127.0.0.1', '172.17.0.1'], { name: '172.17.0.1', listen: '172.17.0.1' }],
    ['Linux with IPv6', ['fd00::1', '172.17.0.1'], ['172.17.0.1'], { name: '172.17.0.1', listen: '172.17.0.1' }],
    ['Docker Desktop', ['172.17.0.1'], ['127.0.0.1', '10.0.0.5'], { name: 'host.docker.internal', listen: undefined }],
  ])('on %s', (_system, gateways, own, route) => {
    expect(hostRoute(gateways, own)).toEqual(route);
  });

  it("by the host's name, where it leads to the loopback address", async () => {
    const route = { name: 'host.docker.internal', listen: undefined };
    expect(await reachableFromContainers('http://127.0.0.1:8000', route)).toBe('http://host.docker.internal:8000');
    expect(await reachableFromContainers('http://localhost', route)).toBe('http://host.docker.internal:80');
    expect(await reachableFromContainers('http://[::1]:8000', route)).toBe('http://host.docker.internal:8000');
    expect(await reachableFromContainers('http://10.0.0.1:8000', route)).toBe('http://10.0.0.1:8000');
  });

  it('through a forwarder, where it does not', async () => {
    const server = createServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const address = await reachableFromContainers(`http://127.0.0.1:${port}`, {
      name: '127.0.0.1',
      listen: '127.0.0.1',
    });
    expect(new URL(address).port).not.toBe(`${port}`);
    const body = 'x'.repeat(1_000_000);
    const answers = await Promise.all(
      Array.from({ length: 5 }, async () => (await fetch(address, { method: 'POST', body })).text()),
    );
    expect(answers).toEqual(Array.from({ length: 5 }, () => body));
  });
});
