import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { FunctionFailure, type Invoke } from '../functions/invoke.ts';
import { withTimeout } from '../functions/withTimeout.ts';
import type {
  ApiDefinition,
  AuthorizerDefinition,
  LambdaIntegration,
  MockIntegration,
} from '../template/deployment.ts';
import { requestIdVariable } from '../template/deployment.ts';
import { Authorizer } from './gatewayAuthorizer.ts';
import { GatewayError } from './gatewayError.ts';
import { type GatewayRequest, readRequest } from './gatewayRequest.ts';
import { type Answer, gatewayResponse } from './gatewayResponse.ts';
import { matchRoute } from './matchRoute.ts';
import { proxyEvent } from './proxyEvent.ts';
import { proxyAnswer } from './proxyResponse.ts';
import { Throttle } from './throttle.ts';

/** A gateway that listens. */
export interface Gateway {
  readonly url: string;
  /** Ends at once, and the requests under way with it. */
  close(): Promise<void>;
}

/** For a request to arrive as a whole, in milliseconds. */
const requestTimeout = 60_000;

/**
 * Serves an API on this machine as API Gateway would: what it does follows from the template, and so do the answers it
 * gives by itself.
 * @param api the API of the template
 * @param invoke how a function is run
 * @param port where to listen; 0: on any free port
 * @throws an error with one sentence for a person, when it cannot listen there
 */
export async function startGateway(api: ApiDefinition, invoke: Invoke, port: number): Promise<Gateway> {
  const answer = requestHandler(api, invoke);
  const latest = new WeakMap<Duplex, Exchange>();
  const handle = (message: IncomingMessage, response: ServerResponse): void => {
    latest.set(message.socket, { message, response });
    answer(message, response);
  };
  const server = createServer({ requestTimeout, requireHostHeader: false }, handle);
  // Whoever has sent a whole request and closes its side of the connection still gets the answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Every expectation but 100-continue would be answered by Node, in another shape.
  server.on('checkExpectation', handle);
  server.on('clientError', (_error, socket) => refuseConnection(api, socket, latest.get(socket)));
  server.on('connect', (_message, socket) => refuseConnection(api, socket, latest.get(socket)));
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
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw new Error(
      `Port ${port} ${taken ? 'is taken' : 'cannot be listened on'}: set PORT to another one, or to 0 for any free one.`,
      { cause: error },
    );
  }
}

function requestHandler(api: ApiDefinition, invoke: Invoke) {
  const answerTo = router(api, invoke);
  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const requestId = randomUUID();
    let answer: Answer;
    try {
      answer = await answerTo(await readRequest(message, requestId));
    } catch (thrown) {
      const error = thrown instanceof GatewayError ? thrown : new GatewayError('DEFAULT_5XX', thrown);
      if (error.cause !== undefined) console.error(`${message.method} ${message.url}: ${error.type}`, error.cause);
      answer = gatewayResponse(api, error, requestId);
    }
    const bodiless = answer.status === 204 || answer.status === 304;
    const length = bodiless ? [] : [['content-length', String(Buffer.byteLength(answer.body))]];
    const headers = [['x-amzn-requestid', requestId], ...length, ...answer.headers];
    response.writeHead(answer.status, headers.flat()).end(bodiless ? undefined : answer.body);
  };
}

function router(api: ApiDefinition, invoke: Invoke): (request: GatewayRequest) => Promise<Answer> {
  const throttle = api.throttle && new Throttle(api.throttle, performance.now());
  const definitions = new Set(api.routes.flatMap(({ authorizer }) => authorizer ?? []));
  const authorizers = new Map<AuthorizerDefinition | undefined, Authorizer>(
    [...definitions].map((definition) => [definition, new Authorizer(api, definition, invoke)]),
  );
  return async (request) => {
    const match = matchRoute(api.routes, request.method, request.path);
    if (match === undefined) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN');
    if (throttle?.pass(performance.now()) === false) throw new GatewayError('THROTTLED');
    const { authorizer, integration } = match.route;
    const caller = await authorizers.get(authorizer)?.authorize(request, match);
    if (integration.type === 'MOCK') return mockAnswer(integration, request.id);
    const event = proxyEvent(api, request, match, caller);
    return proxyAnswer(api, request, await integrate(invoke, integration, event));
  };
}

const mockAnswer = ({ status, headers }: MockIntegration, requestId: string): Answer => ({
  status,
  headers: headers.map(([name, value]) => [name, value === requestIdVariable ? requestId : value.slice(1, -1)]),
  body: '',
});

async function integrate(invoke: Invoke, integration: LambdaIntegration, event: unknown): Promise<unknown> {
  const late = (): Error => new GatewayError('INTEGRATION_TIMEOUT');
  try {
    return await withTimeout(invoke(integration.function, event), integration.timeoutMs, late);
  } catch (error) {
    throw error instanceof FunctionFailure ? new GatewayError('INTEGRATION_FAILURE', error) : error;
  }
}

/** A request, and what is being answered to it. */
interface Exchange {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
}

/** Answers what is no HTTP, in the same shape and after the answer to a whole request before it, and ends the connection. */
function refuseConnection(api: ApiDefinition, socket: Duplex, before: Exchange | undefined): void {
  if (before?.message.complete === true && !before.response.writableFinished && socket.writable) {
    before.response.once('finish', () => refuseConnection(api, socket, undefined));
    return;
  }
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = gatewayResponse(api, new GatewayError('DEFAULT_4XX'), randomUUID());
  const all = [...headers, ['content-length', String(Buffer.byteLength(body))], ['connection', 'close']];
  const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...all.map(([name, value]) => `${name}: ${value}`)];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
