import { spawnSync } from 'node:child_process';
import { networkInterfaces } from 'node:os';
import { findProgram } from '../../cli/findProgram.ts';
import { CommandError } from '../../cli/runCommand.ts';
import { forward } from './forward.ts';

/** Under this name containers reach the host's loopback address where Docker runs in a virtual machine. */
const hostOfMachine = 'host.docker.internal';

/** How containers reach what listens on the host's loopback address only. */
export interface HostRoute {
  /** The host's name in containers. */
  readonly name: string;
  /** The address of the host that must be listened on for them; undefined: what listens on the loopback address is reached. */
  readonly listen: string | undefined;
}

/**
 * Asks Docker for the way from its containers to this host.
 * @throws ToolFailure when Docker is not installed, or does not run
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
 * @param gateways of the network that containers are in
 * @param own the addresses of this host
 */
export function hostRoute(gateways: readonly string[], own: readonly string[]): HostRoute {
  // Docker on Linux gives the host an address in that network. On macOS, and with Docker Desktop everywhere, a virtual
  // machine has it, which also forwards to the host.
  const shared = gateways.find((gateway) => own.includes(gateway));
  return { name: shared ?? hostOfMachine, listen: shared };
}

const loopback = ['127.0.0.1', 'localhost', '[::1]'];

/**
 * The address under which containers reach a server. One on the loopback address is forwarded where that is needed, to
 * containers and to nobody else.
 * @param address of the server, as this host reaches it
 */
export async function reachableFromContainers(address: string, { name, listen }: HostRoute): Promise<string> {
  const url = new URL(address);
  if (!loopback.includes(url.hostname)) return address;
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? 80 : Number(url.port) };
  const port = listen === undefined ? target.port : await forward(listen, target);
  return `http://${name}:${port}`;
}
