import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { timeouts } from '../../catalog/timeouts.ts';

/** The members of the SDK's request that requests to DynamoDB use. */
interface HttpRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | Uint8Array;
}

type Transport = Readonly<{ request: typeof request; agent: Agent }>;

/**
 * Sends the SDK's requests to one endpoint. The SDK's own handler only limits the time until a response begins. This one
 * limits the whole exchange, with a timer that is cheaper than an `abortSignal`, and so reads the whole response.
 */
export function httpHandler() {
  let transport: Transport | undefined;
  return {
    handle: async (sdkRequest: HttpRequest, { requestTimeout = timeouts.databaseRequest } = {}) => {
      transport ??= transportFor(sdkRequest.protocol);
      return { response: await exchange(sdkRequest, transport, requestTimeout) };
    },
    destroy: () => transport?.agent.destroy(),
  };
}

function transportFor(protocol: string): Transport {
  if (protocol === 'https:') return { request, agent: new Agent({ keepAlive: true }) };
  // Only local endpoints do not use TLS. Loading this module in Lambda would only slow down the start.
  const http = process.getBuiltinModule('node:http');
  // The agents of both modules are used alike, but have unrelated types.
  return { request: http.request, agent: new http.Agent({ keepAlive: true }) as Agent };
}

const exchange = (sdkRequest: HttpRequest, { request, agent }: Transport, timeout: number) =>
  new Promise((resolve, reject) => {
    const { hostname, port, method, path, headers, body } = sdkRequest;
    // An IPv6 address has brackets here, as in a URL.
    const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    // Not signed, and the same for all requests. The SDK would compute its own for each.
    headers['user-agent'] = 'catalog-service';
    const sending = request({ host, port, method, path, headers, agent }, (response) => {
      const chunks: Uint8Array[] = [];
      response.on('data', (chunk: Uint8Array) => chunks.push(chunk));
      // If the response is incomplete, the status shows whether the request was done.
      const fail = (error: Error) =>
        reject(Object.assign(error, { $metadata: { httpStatusCode: response.statusCode } }));
      // DynamoDB always sends JSON. The SDK would read an empty body as a response without a record.
      response.once('end', () =>
        chunks.length > 0 ? resolve(responseOf(response, chunks)) : fail(new Error('DynamoDB sent an empty response')),
      );
      response.once('error', fail);
    });
    const giveUp = () => sending.destroy(timeoutError(sending));
    const timer = setTimeout(giveUp, timeout);
    sending.on('error', reject);
    sending.once('close', () => clearTimeout(timer));
    // Without this listener, Node would close the connection and report nothing.
    sending.once('upgrade', (_response, socket) => {
      socket.destroy();
      reject(Object.assign(new Error('DynamoDB switched protocols'), { code: 'EPROTO' }));
    });
    sending.once('socket', (socket) => {
      if (!socket.connecting) return;
      const connecting = setTimeout(giveUp, timeouts.connection);
      socket.once('connect', () => clearTimeout(connecting));
      socket.once('close', () => clearTimeout(connecting));
    });
    sending.end(body);
  });

const responseOf = ({ statusCode, statusMessage, headers }: IncomingMessage, chunks: readonly Uint8Array[]) => ({
  statusCode,
  reason: statusMessage,
  headers,
  body: Buffer.concat(chunks),
});

/** Its code shows whether the request may have been sent. */
const timeoutError = ({ socket }: ClientRequest): Error =>
  Object.assign(new Error('DynamoDB did not respond in time'), {
    name: 'TimeoutError',
    code: socket?.connecting === false ? 'ETIMEDOUT' : 'ECONNTIMEOUT',
  });
