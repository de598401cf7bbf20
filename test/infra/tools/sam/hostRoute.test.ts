import { describe, expect, it } from 'vitest';
import type { ContainerEngine } from '../../../../infra/tools/sam/containerEngine.ts';
import { hostRoute, thisMachine } from '../../../../infra/tools/sam/hostRoute.ts';

const engine = (
  kind: ContainerEngine['kind'],
  gateway: string | undefined = '172.17.0.1',
  subnet: string | undefined = '172.17.0.0/16',
): ContainerEngine => ({ kind, isRootless: false, networks: [{ gateway, subnet }] });

/** A machine that can listen on these addresses, whether or not a container runs. */
const machine = (listens: string[], platform: NodeJS.Platform = 'linux', addresses = ['192.168.1.7']) => ({
  platform,
  addresses,
  canListen: async (address: string) => listens.includes(address),
});

const byName = { name: 'host.docker.internal', listen: undefined, peers: undefined };
const by = (address: string) => ({ name: address, listen: address, peers: undefined });

describe('containers reach this machine', () => {
  it.each([
    ['by the gateway', engine('docker'), '172.17.0.1'],
    ['by the first address of the subnet if no gateway is reported', engine('docker', ''), '172.17.0.1'],
    ['by that of a small subnet', engine('docker', '', '10.9.8.64/27'), '10.9.8.65'],
    ['by that of a subnet that is written as an address in it', engine('docker', '', '10.255.3.9/8'), '10.0.0.1'],
    ['by the gateway of Podman', engine('podman', '10.88.0.1', '10.88.0.0/16'), '10.88.0.1'],
  ])('%s, if this machine can listen there', async (_, found, address) => {
    expect(await hostRoute(found, machine([address]))).toEqual(by(address));
  });

  it('over IPv4 even if there is IPv6', async () => {
    const networks = [
      { gateway: 'fd00::1', subnet: 'fd00::/64' },
      { gateway: undefined, subnet: 'fd01::/64' },
      { gateway: '172.17.0.1', subnet: '172.17.0.0/16' },
    ];
    expect(await hostRoute({ ...engine('docker'), networks }, machine(['172.17.0.1']))).toEqual(by('172.17.0.1'));
  });

  it.each([
    ['Docker Desktop on Linux', engine('docker-desktop'), machine([])],
    ['Docker Desktop on macOS', engine('docker-desktop'), machine([], 'darwin')],
    ['Podman or Finch on macOS', engine('podman'), machine([], 'darwin')],
    ['Docker on a machine without a network', engine('docker'), machine([], 'linux', [])],
  ])('by the name that %s gives it', async (_, found, on) => {
    expect(await hostRoute(found, on)).toEqual(byName);
  });

  it.each([
    ['rootless Docker', 'docker', true, '192.168.1.7'],
    ['rootless Podman', 'podman', true, 'host.docker.internal'],
    ['Podman without a container', 'podman', false, '192.168.1.7'],
  ] as const)(
    'by its external address, with connections allowed only from itself and the containers, with %s',
    async (...row) => {
      const [, kind, isRootless, name] = row;
      expect(await hostRoute({ ...engine(kind), isRootless }, machine([]))).toEqual({
        name,
        listen: '192.168.1.7',
        peers: ['192.168.1.7', '172.17.0.0/16'],
      });
    },
  );

  it('even if the engine reports no network', async () => {
    expect(await hostRoute({ ...engine('docker'), networks: [] }, machine([]))).toEqual({
      name: '192.168.1.7',
      listen: '192.168.1.7',
      peers: ['192.168.1.7'],
    });
  });
});

it('this machine can only listen on its own addresses', async () => {
  expect(await thisMachine.canListen('127.0.0.1')).toBe(true);
  expect(await thisMachine.canListen('192.0.2.1')).toBe(false);
  expect(thisMachine.addresses).not.toContain('127.0.0.1');
});
