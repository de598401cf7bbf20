import { spawnSync } from 'node:child_process';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { isIP } from 'node:net';
import { pipeline, type Readable } from 'node:stream';
import { containerHost } from '../../cli/localService.ts';
import { type Listening, listen } from '../listen.ts';
import type { Engine } from './startEngine.ts';

/**
 * Forwards requests to the engine, except those from web pages. The engine itself would let any page read and write the
 * tables, because it checks no signatures and sends `access-control-allow-origin: *`. An engine that this process did
 * not start can be reached directly anyway, so it gets no proxy.
 * @param bridge a second address to listen on, at the same port: the one by which containers reach this machine
 */
export async function startEngineProxy(
  { endpoint, isEmbedded }: Pick<Engine, 'endpoint' | 'isEmbedded'>,
  bridge = dockerBridge(),
): Promise<Listening> {
  if (!isEmbedded) return { url: endpoint, close: async () => {} };
  const guard = () =>
    createServer((message, response) => {
      if (mayBeFromPage(message)) {
        message.resume();
        refuse(
          response,
          'The local DynamoDB refuses requests from web pages, and requests whose Host is not this machine.',
        );
      } else forward(message, message, response, endpoint);
    });
  const own = await listen(guard());
  const all = [own, ...(bridge === undefined ? [] : [await listen(guard(), Number(new URL(own.url).port), bridge)])];
  const close = async (): Promise<void> => {
    await Promise.all(all.splice(0).map((each) => each.close()));
  };
  return { url: own.url, close };
}

/**
 * The address of this machine in Docker's network on Linux. Containers of Docker Desktop reach the loopback address
 * instead. Node's own list of addresses lacks it while no container is running.
 */
export function dockerBridge(): string | undefined {
  const { stdout } = spawnSync('ip', ['-4', '-json', 'address', 'show', 'docker0'], { encoding: 'utf8' });
  return /"local":"([\d.]+)"/.exec(stdout)?.[1];
}

/**
 * Whether a browser may have sent the request. Browsers add `Origin` to requests that can change something or whose
 * response another origin can read, and `Sec-Fetch-Site` to all others. A page whose own name resolves to this machine
 * (DNS rebinding) is recognised by `Host`.
 */
const mayBeFromPage = ({ headers }: IncomingMessage): boolean =>
  headers.origin !== undefined || headers['sec-fetch-site'] !== undefined || !isOwnHost(headers.host ?? '');

/** Names that an attacker cannot control. Containers reach this machine by address, or by their own name for it. */
function isOwnHost(host: string): boolean {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === 'localhost' || name === containerHost || isIP(name.replace(/^\[|\]$/g, '')) !== 0;
}

/** Answers as DynamoDB does if the caller lacks a right. */
export function refuse(response: ServerResponse, message: string, status = 403): void {
  const body = JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', message });
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(body);
}

/** Of its own: with `NODE_USE_ENV_PROXY`, the usual one sends to the company's proxy, which does not reach this machine. */
const agent = new Agent({ keepAlive: true });

/** Forwards a request, and the response unchanged. If one side ends early, so does the other. */
export function forward(
  { method, url, rawHeaders }: Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>,
  body: Readable,
  response: ServerResponse,
  endpoint: string,
): void {
  const outgoing = request(endpoint, { agent, method, path: url, headers: rawHeaders });
  outgoing.once('response', (answer) => {
    if (response.destroyed) return void answer.destroy();
    response.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    pipeline(answer, response, ignore);
  });
  outgoing.once('error', () => response.destroy());
  pipeline(body, outgoing, ignore);
}

/** Both ends of the connection see the error. Nobody else needs to. */
const ignore = (): void => {};
