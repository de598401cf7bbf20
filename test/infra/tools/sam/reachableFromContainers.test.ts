import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { reachableFromContainers } from '../../../../infra/tools/sam/reachableFromContainers.ts';
import { untilSilent } from '../../program.ts';

const byName = { name: 'host.docker.internal', listen: undefined, peers: undefined };

/** A server on the loopback address that sends back what it receives. */
async function startService() {
  const server = createHttpServer((request, response) => request.pipe(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  onTestFinished(close);
  return { port, close, url: `http://127.0.0.1:${port}` };
}

it.each([
  ['http://127.0.0.1:8000', 'http://host.docker.internal:8000'],
  ['http://127.1.2.3:8000', 'http://host.docker.internal:8000'],
  ['http://localhost', 'http://host.docker.internal:80'],
  ['http://[::1]:8000', 'http://host.docker.internal:8000'],
  ['http://10.0.0.1:8000', 'http://10.0.0.1:8000'],
])('containers reach %s by the name of this machine as %s', async (address, reached) => {
  expect(await reachableFromContainers(address, byName)).toBe(reached);
});

// Only there is a second loopback address, which stands for that of the containers' network.
describe.runIf(process.platform === 'linux')('through a forwarder', () => {
  const route = { name: '127.0.0.2', listen: '127.0.0.2', peers: undefined };

  it('containers reach a service until it ends, even after the command has ended', async () => {
    const { url, port, close } = await startService();
    const address = await reachableFromContainers(url, route);
    expect(address).toBe(`http://127.0.0.2:${port}`);
    const body = 'x'.repeat(1_000_000);
    const answers = Array.from({ length: 5 }, async () => (await fetch(address, { method: 'POST', body })).text());
    expect(await Promise.all(answers)).toEqual(Array.from({ length: 5 }, () => body));
    expect(await reachableFromContainers(url, route)).toBe(address);
    close();
    await untilSilent(address);
  });

  it.each([
    ['lets', ['192.0.2.1', '127.0.0.1', '127.0.0.2'], true],
    ['lets', ['192.0.2.0/24', '127.0.0.0/8'], true],
    ['does not let', ['192.0.2.1', 'fd00::/8', '10.127.0.0/16'], false],
    ['does not let', [], false],
  ])('%s in connections if peers are %j', async (_, peers, reached) => {
    const { url, close } = await startService();
    const address = await reachableFromContainers(url, { ...route, peers });
    const answered = await fetch(address).then(
      () => true,
      () => false,
    );
    expect(answered).toBe(reached);
    close();
  });

  it('fails with one sentence if another program uses the port', async () => {
    const { url, port } = await startService();
    const other = createServer((client) => client.destroy()).listen(port, '127.0.0.2');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    await expect(reachableFromContainers(url, route)).rejects.toThrow(
      `Containers cannot reach the service: port ${port} of 127.0.0.2 is used by another program.`,
    );
  });
});
