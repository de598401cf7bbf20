import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/**
 * Forwards connections for as long as this process has anything else to do.
 * @param address the address of this host to listen on
 * @param target the host and port that connections are forwarded to
 * @returns the port that is listened on
 */
export async function forward(address: string, target: { host: string; port: number }): Promise<number> {
  const server = createServer((client) => join(client, connect(target))).unref();
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** The end or the failure of one is the end of the other, and matters to nobody else. */
function join(client: Socket, target: Socket): void {
  pipeline(client.unref(), target.unref(), client).catch(() => {});
}
