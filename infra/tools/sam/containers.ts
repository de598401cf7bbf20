import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { CommandError } from '../../cli/commandError.ts';
import { findProgram } from '../../cli/findProgram.ts';
import { forward } from './forward.ts';

/** Where Docker runs in a virtual machine, containers reach the host's loopback address by this name. */
const dockerHostName = 'host.docker.internal';

/** How containers reach a server that listens on the host's loopback address only. */
export interface HostRoute {
  /** The host's name or address in containers. */
  readonly name: string;
  /** The host's address that a forwarder must listen on for them. Undefined: they reach the loopback address directly. */
  readonly listen: string | undefined;
}

/**
 * Asks Docker how its containers reach this host.
 * @throws CommandError when Docker is not installed or not running
 */
export function routeToHost(): HostRoute {
  if (findProgram('docker') === undefined) {
    throw new CommandError(
      'SAM runs functions in containers: install Docker first (https://docs.docker.com/get-started/get-docker/).',
    );
  }
  const format = '{{range .IPAM.Config}}{{.Gateway}} {{end}}';
  const asked = spawnSync('docker', ['network', 'inspect', 'bridge', '--format', format], { encoding: 'utf8' });
  if (asked.status !== 0) throw new CommandError('SAM runs functions in containers: start Docker first.');
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses.map(({ address }) => address));
  return hostRoute(asked.stdout.trim().split(/\s+/), own);
}

/**
 * @param gateways the gateways of the containers' network
 * @param own the addresses of this host
 */
export function hostRoute(gateways: readonly string[], own: readonly string[]): HostRoute {
  // On Linux, Docker gives the host an address in that network. On macOS and with Docker Desktop, the address belongs to a
  // virtual machine, which forwards to the host.
  const shared = gateways.find((gateway) => own.includes(gateway));
  return { name: shared ?? dockerHostName, listen: shared };
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The address by which containers reach a server. A server on the loopback address is forwarded where necessary, to
 * containers only.
 * @param address by which this host reaches the server
 */
export async function reachableFromContainers(address: string, { name, listen }: HostRoute): Promise<string> {
  const url = new URL(address);
  if (!loopback.includes(url.hostname)) return address;
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 80 : Number(url.port) };
  const port = listen === undefined ? target.port : await forward(listen, target);
  return `http://${name}:${port}`;
}
