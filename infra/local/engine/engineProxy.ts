import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { containerHost } from '../../cli/containerHost.ts';
import type { Engine } from './startEngine.ts';

/** A proxy through which other programs on this machine reach the engine. */
export interface EngineProxy {
  readonly url: string;
  /** Closes immediately, aborting requests in progress. */
  close(): Promise<void>;
}

/**
 * Forwards requests to the engine, except those from web pages. The engine itself would let any page read and write the
 * tables, because it checks no signatures and sends `access-control-allow-origin: *`. An engine that this process did
 * not start can be reached directly anyway, so it gets no guard.
 */
export async function startEngineProxy({
  endpoint,
  isEmbedded,
}: Pick<Engine, 'endpoint' | 'isEmbedded'>): Promise<EngineProxy> {
  if (!isEmbedded) return { url: endpoint, close: async () => {} };
  const agent = new Agent({ keepAlive: true });
  const server = createServer((message, response) => {
    if (mayBeFromPage(message)) refuse(message, response);
    else forward(message, response, endpoint, agent);
  });
  // Otherwise a client could send its next request on a connection that is just being closed.
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async (): Promise<void> => {
    const closed = once(server, 'close');
    server.close();
    server.closeAllConnections();
    agent.destroy();
    await closed;
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/**
 * Whether a browser may have sent the request. Browsers add `Origin` to requests that can change something or whose
 * response another origin can read, and `Sec-Fetch-Site` to all others. A page whose own name resolves to this machine
 * (DNS rebinding) is recognised by `Host`.
 */
const mayBeFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || !isOwnHost(headers.host ?? '');

/**
 * Host names that an attacker cannot control. Containers reach this machine by address, or by their own name for it.
 */
function isOwnHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === containerHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function refuse(message: IncomingMessage, response: ServerResponse): void {
  message.resume();
  const body = JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: 'The local DynamoDB refuses requests from web pages, and requests whose Host is not this machine.',
  });
  response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
}

/** Forwards the request and the response unchanged. If one side ends early, so does the other. */
function forward(message: IncomingMessage, response: ServerResponse, endpoint: string, agent: Agent): void {
  const { method, rawHeaders } = message;
  const outgoing = request(endpoint, { agent, method, path: message.url, headers: rawHeaders });
  outgoing.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    pipeline(answer, response, ignore);
  });
  outgoing.once('error', () => response.destroy());
  pipeline(message, outgoing, ignore);
}

/** Both ends of the connection see the error. Nobody else needs to. */
const ignore = (): void => {};
