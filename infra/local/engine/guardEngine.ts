import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { pipeline } from 'node:stream';
import { containerHost } from '../../cli/containerHost.ts';
import type { Engine } from './startEngine.ts';

/** The address at which other programs of this machine reach the engine. */
export interface EngineGuard {
  readonly url: string;
  /** Closes at once, together with the requests in progress. */
  close(): Promise<void>;
}

/**
 * Forwards requests to the engine, but none of a web page: the engine itself lets every page read and write the tables,
 * since it checks no signatures and answers `access-control-allow-origin: *`. An engine that this process did not start can
 * be reached without a guard, so it gets none.
 */
export async function guardEngine({ endpoint, isOwn }: Pick<Engine, 'endpoint' | 'isOwn'>): Promise<EngineGuard> {
  if (!isOwn) return { url: endpoint, close: async () => {} };
  const agent = new Agent({ keepAlive: true });
  const server = createServer((message, response) => {
    if (mayBeFromPage(message)) refuse(message, response);
    else forward(message, response, endpoint, agent);
  });
  // A client would meet a connection that is being closed just as it sends its next request.
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
 * Whether a browser may have sent it. Browsers add `Origin` to whatever can change something or be read by a page of
 * another origin, and `Sec-Fetch-Site` to the rest. A page whose own name leads to this machine (DNS rebinding) shows in
 * `Host`.
 */
const mayBeFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || !isOwnHost(headers.host ?? '');

/** Names that nobody can point elsewhere. Containers reach this machine by its address, or by a name of their own. */
function isOwnHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === containerHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

function refuse(message: IncomingMessage, response: ServerResponse): void {
  message.resume();
  const body = JSON.stringify({
    __type: 'com.amazon.coral.service#AccessDeniedException',
    message: 'The local DynamoDB answers no web pages, and no other Host than this machine.',
  });
  response.writeHead(403, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
}

/** Passes both messages on as they are. When one side ends early, so does the other. */
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

/** Both ends of the connection learn of it, and nobody else needs to. */
const ignore = (): void => {};
