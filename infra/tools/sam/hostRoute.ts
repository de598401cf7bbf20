import { once } from 'node:events';
import { createServer, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { containerHost } from '../../cli/containerHost.ts';
import type { ContainerEngine, NetworkAddresses } from './containerEngine.ts';

/** How containers reach a server that listens only on this machine's loopback address. */
export interface HostRoute {
  /** This machine's name or address in containers. */
  readonly name: string;
  /**
   * The address on this machine where a forwarder must listen. Undefined if containers reach the loopback address
   * directly.
   */
  readonly listen: string | undefined;
  /**
   * Where the containers' connections come from: addresses, or subnets such as `172.17.0.0/16`. Undefined means
   * anywhere.
   */
  readonly peers: readonly string[] | undefined;
}

/** What the route depends on, besides the engine. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Its IPv4 addresses that are visible to other machines. */
  readonly addresses: readonly string[];
  /** Whether a server can listen on an address. */
  canListen(address: string): Promise<boolean>;
}

export const thisMachine: Machine = {
  platform: process.platform,
  addresses: Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ internal, address }) => (!internal && isIPv4(address) ? [address] : [])),
  ),
  canListen: async (address) => {
    const server = createServer();
    try {
      await once(server.listen(0, address), 'listening');
      return true;
    } catch {
      return false;
    } finally {
      server.close();
    }
  },
};

/**
 * Finds the route from containers to this machine.
 *
 * On Linux, Docker gives this machine an address in the containers' network. It exists even while no container is
 * running, but the system does not list it then, so the code checks whether it can listen on it. Podman creates its
 * network with the first container, and a rootless engine has its network elsewhere, so its connections come from this
 * machine's own addresses. Containers of both reach the address that other machines use, or, with rootless Podman, a
 * name for it. In virtual machines, as on macOS, that name resolves to the loopback address.
 */
export async function hostRoute({ kind, isRootless, networks }: ContainerEngine, machine: Machine): Promise<HostRoute> {
  for (const gateway of networks.flatMap(gatewayOf))
    if (await machine.canListen(gateway)) return { name: gateway, listen: gateway, peers: undefined };
  const [own] = machine.addresses;
  if (machine.platform !== 'linux' || kind === 'docker-desktop' || own === undefined)
    return { name: containerHost, listen: undefined, peers: undefined };
  const peers = [...machine.addresses, ...networks.flatMap(({ subnet }) => subnet ?? [])];
  return { name: kind === 'podman' && isRootless ? containerHost : own, listen: own, peers };
}

/** The gateway, or else the first address of the subnet, which is the engines' default. */
function gatewayOf({ gateway, subnet }: NetworkAddresses): string[] {
  if (gateway !== undefined && gateway !== '') return [gateway];
  const [address = '', bits] = (subnet ?? '').split('/');
  if (!isIPv4(address) || bits === undefined) return [];
  const size = 2 ** (32 - Number(bits));
  const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
  const first = number - (number % size) + 1;
  return [[24, 16, 8, 0].map((shift) => Math.floor(first / 2 ** shift) % 256).join('.')];
}
