import type { IncomingMessage } from 'node:http';
import type { Header } from '../template/deployment.ts';
import { GatewayError } from './gatewayError.ts';

/** A request as API Gateway has taken it in. */
export interface GatewayRequest {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly method: string;
  /** As it was sent, still with its escapes, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** In the order and spelling in which they were sent. */
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
}

/** API Gateway's limit of a request's body, in bytes. */
const bodyLimit = 10 * 1024 * 1024;

/**
 * Takes in a request.
 * @param message the request of Node's server
 * @param id its id, that every answer and event carries
 * @throws GatewayError when the body is larger than API Gateway's limit, or does not arrive
 */
export async function readRequest(message: IncomingMessage, id: string): Promise<GatewayRequest> {
  const receivedAt = Date.now();
  // A proxy's client sends the whole address instead of the path.
  const target = (message.url ?? '/').replace(/^https?:\/\/[^/?]*/i, '');
  const query = target.indexOf('?');
  return {
    id,
    receivedAt,
    method: message.method ?? 'GET',
    path: query === -1 ? target : target.slice(0, query),
    query: new URLSearchParams(query === -1 ? '' : target.slice(query + 1)),
    headers: readHeaders(message.rawHeaders),
    body: await readBody(message),
    sourceIp: message.socket.remoteAddress ?? '',
    protocol: `HTTP/${message.httpVersion}`,
  };
}

/**
 * All values of a header.
 * @param name in lower case
 */
export const headerValues = (request: Pick<GatewayRequest, 'headers'>, name: string): string[] =>
  request.headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);

function readHeaders(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}

function readBody(message: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = (): void => {
      chunks.length = 0;
      reject(new GatewayError('REQUEST_TOO_LARGE'));
    };
    if (Number(message.headers['content-length'] ?? 0) > bodyLimit) refuse();
    // What comes after a refusal is taken off the wire and dropped: a client that is still sending could not read it.
    message.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > bodyLimit) refuse();
      else chunks.push(chunk);
    });
    message.once('end', () => resolve(Buffer.concat(chunks)));
    message.once('error', () => reject(new GatewayError('DEFAULT_4XX')));
    message.once('close', () => reject(new GatewayError('DEFAULT_4XX')));
  });
}
