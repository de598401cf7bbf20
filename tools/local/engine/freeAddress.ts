import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/**
 * Finds a free port on an unguessable loopback address, because the engine responds to any web page that finds it.
 * Systems such as macOS have only one loopback address, which is used there.
 */
export async function freeAddress(): Promise<AddressInfo> {
  const [a, b, c] = [randomInt(256), randomInt(256), randomInt(1, 255)];
  return listenOnce(`127.${a}.${b}.${c}`).catch(() => listenOnce('127.0.0.1'));
}

async function listenOnce(host: string): Promise<AddressInfo> {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const place = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return place;
}
