import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { CommandError } from '../../cli/commandError.ts';
import type { Forwarding } from './forward.ts';
import type { HostRoute } from './hostRoute.ts';

/** Servers on these addresses are only reachable from this machine. */
const isLoopback = (host: string): boolean => host === 'localhost' || host === '[::1]' || host.startsWith('127.');

/**
 * Returns the address by which containers reach a server. If the server is on the loopback address and containers
 * cannot reach that, starts a forwarder for containers only. The forwarder is a separate process that ends with the
 * server, so that SAM can also be run by hand.
 * @param address the server's address on this machine
 * @throws CommandError if the port cannot be used for containers
 */
export async function reachableFromContainers(address: string, { name, listen, peers }: HostRoute): Promise<string> {
  const url = new URL(address);
  if (!isLoopback(url.hostname)) return address;
  const port = url.port === '' ? 80 : Number(url.port);
  const target = { host: url.hostname.replace(/^\[|\]$/g, ''), port };
  // An earlier run may have started the forwarder.
  if (listen !== undefined && !(await isReachable(listen, port))) await startForwarder({ listen, target, peers });
  return `http://${name}:${port}`;
}

const isReachable = (host: string, port: number): Promise<boolean> =>
  fetch(`http://${host}:${port}`, { signal: AbortSignal.timeout(2_000) }).then(
    () => true,
    () => false,
  );

async function startForwarder(forwarding: Forwarding): Promise<void> {
  const program = fileURLToPath(new URL('./forwarder.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(forwarding)], {
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  const [event] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (event !== 'listening') {
    const { listen, target } = forwarding;
    throw new CommandError(
      `Containers cannot reach the service: port ${target.port} of ${listen} is used by another program.`,
    );
  }
  child.disconnect();
  child.unref();
}
