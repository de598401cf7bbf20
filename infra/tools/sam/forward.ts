import { once } from 'node:events';
import { BlockList, connect, createServer, isIPv4, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

export interface Forwarding {
  /** The address on this machine to listen on. */
  readonly listen: string;
  /** The target of the connections. The forwarder listens on the same port. */
  readonly target: { readonly host: string; readonly port: number };
  /** Accept connections only from these addresses, or subnets such as `172.17.0.0/16`. If omitted, from any. */
  readonly peers?: readonly string[] | undefined;
}

/** How often to check that the target is still there, in milliseconds. */
const interval = 2_000;

/**
 * Forwards connections until the target is gone.
 * @returns once it is listening; `ended` resolves when the target is gone
 */
export async function forward({ listen, target, peers }: Forwarding): Promise<{ ended: Promise<void> }> {
  const permitted = peers && permittedPeers(peers);
  const server = createServer((client) => {
    if (permitted === undefined || permitted.check(client.remoteAddress ?? '')) join(client, connect(target));
    else client.destroy();
  });
  await once(server.listen(target.port, listen), 'listening');
  return { ended: untilGone(target).then(() => void server.close()) };
}

function permittedPeers(peers: readonly string[]): BlockList {
  const list = new BlockList();
  for (const peer of peers) {
    const [address = '', bits = '32'] = peer.split('/');
    if (isIPv4(address)) list.addSubnet(address, Number(bits));
  }
  return list;
}

/** When one connection ends or fails, the other ends too. Nobody else needs the error. */
function join(client: Socket, target: Socket): void {
  pipeline(client, target, client).catch(() => {});
}

function untilGone(target: Forwarding['target']): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const socket = connect(target, () => socket.destroy());
      socket.once('error', () => {
        clearInterval(timer);
        resolve();
      });
    }, interval);
  });
}
