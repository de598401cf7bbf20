import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What listens on this machine. Closing it aborts requests in progress. */
export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

/** @param port 0 means any free one */
export async function listen(server: Server, port = 0, host = '127.0.0.1'): Promise<Listening> {
  // Otherwise a client could send its next request on a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await once(server.listen(port, host), 'listening');
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://${host}:${(server.address() as AddressInfo).port}`, close };
}
