import type { IncomingMessage } from 'node:http';
import type { Header } from '../template/readApi.ts';
import { unpack } from './contentCoding.ts';
import { GatewayError } from './gatewayResponse.ts';

export interface GatewayRequest {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly method: string;
  /** As sent and not decoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** In the client's order and spelling. */
  readonly headers: readonly Header[];
  /** Unpacked, if it was sent compressed. */
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
}

/** API Gateway's limits in bytes: for the body of a request, and for its headers, with separators and line ends. */
const [bodyLimit, headerLimit] = [10 * 1024 * 1024, 10_240];

/**
 * Reads a request.
 * @param id the request id, for the response and the event
 * @throws GatewayError if headers or body exceed API Gateway's limits, or the body does not arrive completely or cannot
 * be unpacked
 */
export async function readRequest(message: IncomingMessage, id: string): Promise<GatewayRequest> {
  const receivedAt = Date.now();
  const { path, query } = targetOf(message);
  const headers = readHeaders(message.rawHeaders);
  const size = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('').length;
  if (size > headerLimit) throw new GatewayError('HEADERS_TOO_LONG');
  return {
    id,
    receivedAt,
    method: message.method ?? 'GET',
    path,
    query: new URLSearchParams(query),
    headers,
    body: unpack(await readBody(message), bodyLimit, message.headers['content-encoding']),
    sourceIp: message.socket.remoteAddress ?? '',
    protocol: `HTTP/${message.httpVersion}`,
  };
}

/** The path and query of a request, as sent. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: string } {
  const query = url.indexOf('?');
  return query === -1 ? { path: url, query: '' } : { path: url.slice(0, query), query: url.slice(query + 1) };
}

/** All values of a header. @param name in lower case */
export const rawHeaderValues = (request: Pick<GatewayRequest, 'headers'>, name: string): string[] =>
  request.headers.filter(([sent]) => sent.toLowerCase() === name).map(([, value]) => value);

function readHeaders(raw: readonly string[]): Header[] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index] ?? '', raw[2 * index + 1] ?? '']);
}

/** Also reads what is too long, and drops it: many clients only read the response once they have sent everything. */
async function readBody(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of message as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= bodyLimit) chunks.push(chunk);
    }
  } catch {
    throw new GatewayError('DEFAULT_4XX');
  }
  if (size > bodyLimit) throw new GatewayError('BODY_TOO_LONG');
  return Buffer.concat(chunks);
}
