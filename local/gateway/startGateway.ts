import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CommandError } from '../../cli/commandError.ts';
import type { Invoke } from '../functions/invoke.ts';
import type { ServePages } from '../pages/servePages.ts';
import type { ApiDefinition } from '../template/deployment.ts';
import { type CompletedRequest, handleRequests } from './handleRequests.ts';

export interface Gateway {
  readonly url: string;
  /** Closes immediately, aborting requests in progress. */
  close(): Promise<void>;
}

interface GatewayOptions {
  readonly log?: ((answered: CompletedRequest) => void) | undefined;
  /** Serves pages that are not part of the API. */
  readonly servePages?: ServePages;
}

/** How long a request may take to arrive, in milliseconds. */
const requestTimeout = 60_000;

/**
 * Serves an API on this machine as API Gateway would. The template defines everything, including the gateway's own
 * responses.
 * @param port the port to listen on; 0 means any free port
 * @throws CommandError if it cannot listen on the port
 */
export async function startGateway(
  api: ApiDefinition,
  invoke: Invoke,
  port: number,
  { log = () => {}, servePages = () => undefined }: GatewayOptions = {},
): Promise<Gateway> {
  const answer = handleRequests(api, invoke, log);
  // Idle connections stay open, because a client could send its next request on one that is just being closed.
  const server = createServer({ requestTimeout, keepAliveTimeout: 0 }, (message, response) => {
    servePages(message, response) ?? answer(message, response);
  });
  // A client that closes its side of the connection after sending its request still gets the response.
  Object.assign(server, { httpAllowHalfOpen: true });
  await listen(server, port);
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${message})`;
    throw new CommandError(`Port ${port} ${reason}: set PORT to another one, or to 0 for any free one.`, 1, { cause });
  }
}
