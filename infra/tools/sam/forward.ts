import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';

/**
 * Forwards connections for as long as anything else keeps this process running.
 * @param address this host's address to listen on
 * @param target where connections are forwarded to
 * @returns the port that it listens on
 */
export async function forward(address: string, target: { host: string; port: number }): Promise<number> {
  const server = createServer((client) => join(client, connect(target))).unref();
  server.listen(0, address);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** When one connection ends or fails, the other ends too. The error is of no interest to anybody else. */
function join(client: Socket, target: Socket): void {
  pipeline(client.unref(), target.unref(), client).catch(() => {});
}
