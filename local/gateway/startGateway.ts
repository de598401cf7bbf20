import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { CommandError, printError } from '../../cli/print.ts';
import { FunctionFailure, type Invoke, payloadLimit, withTimeout } from '../functions/invoke.ts';
import { type Listening, listen } from '../listen.ts';
import type { ServePages } from '../pages/servePages.ts';
import type { ApiDefinition, AuthorizerDefinition, Integration } from '../template/readApi.ts';
import { compress } from './contentCoding.ts';
import { type Authorize, gatewayAuthorizer } from './gatewayAuthorizer.ts';
import { readRequest, targetOf } from './gatewayRequest.ts';
import { GatewayError, type HttpResponse, staticResponse } from './gatewayResponse.ts';
import { matchRoute } from './matchRoute.ts';
import { mediaTypeOf, proxyEvent } from './proxyEvent.ts';
import { proxyResponse } from './proxyResponse.ts';

/**
 * Serves an API on this machine as API Gateway would. The template defines everything, including the gateway's own
 * responses. Closing it waits for the functions under way, which would write their logs later: for at most as long as
 * their timeouts allow.
 * @param port the port to listen on; 0 means any free port
 * @param options `servePages` serves pages that are not part of the API
 * @throws CommandError if it cannot listen on the port
 */
export async function startGateway(
  api: ApiDefinition,
  invoke: Invoke,
  port: number,
  options: { log?: ((answered: CompletedRequest) => void) | undefined; servePages?: ServePages } = {},
  host?: string,
): Promise<Listening> {
  const { log = () => {}, servePages = () => undefined } = options;
  const answer = handleRequests(api, invoke, log);
  const underWay = new Set<Promise<void>>();
  const server = createServer((message, response) => {
    const served = servePages(message, response) ?? answer(message, response);
    underWay.add(served);
    served.finally(() => underWay.delete(served));
  });
  const listening = await listen(server, port, host).catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${cause.message})`;
    throw new CommandError(`Port ${port} ${reason}: set PORT to another one, or to 0 for any free one.`, 1, { cause });
  });
  const close = async (): Promise<void> => {
    await listening.close();
    await Promise.allSettled(underWay);
  };
  return { ...listening, close };
}

export interface CompletedRequest {
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  readonly method: string;
  /** As sent, without the query. */
  readonly path: string;
  readonly response: HttpResponse;
  /** Milliseconds until the response was ready. */
  readonly duration: number;
}

/** Creates an HTTP server's request listener that responds as the deployed API would. */
function handleRequests(api: ApiDefinition, invoke: Invoke, log: (answered: CompletedRequest) => void) {
  const respond = router(api, invoke);
  return async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [receivedAt, started] = [Date.now(), performance.now()];
    const requestId = randomUUID();
    const { method = 'GET', url } = message;
    const answer = await respond(message, requestId).catch((thrown: unknown) => {
      const error = thrown instanceof GatewayError ? thrown : new GatewayError('DEFAULT_5XX', thrown);
      if (error.cause !== undefined) printError(`${method} ${url}: ${error.type}`, error.cause);
      return staticResponse(api.gatewayResponses[error.type], requestId);
    });
    log({ receivedAt, method, path: targetOf(message).path, response: answer, duration: performance.now() - started });
    write(response, compress(answer, message.headers['accept-encoding'], api.minimumCompressionSize), requestId);
  };
}

function write(response: ServerResponse, { status, headers, body }: HttpResponse, requestId: string): void {
  const bodiless = status === 204 || status === 304;
  const length = bodiless ? [] : [['content-length', String(Buffer.byteLength(body))]];
  const all = [['x-amzn-requestid', requestId], ...length, ...headers];
  response.writeHead(status, all.flat()).end(bodiless ? undefined : body);
}

/** @returns responds to a request, or throws a GatewayError */
function router(api: ApiDefinition, invoke: Invoke) {
  const definitions = new Set(api.routes.flatMap(({ authorizer }) => authorizer ?? []));
  const authorizers = new Map<AuthorizerDefinition | undefined, Authorize>(
    [...definitions].map((definition) => [definition, gatewayAuthorizer(api, definition, invoke)]),
  );
  return async (message: IncomingMessage, requestId: string): Promise<HttpResponse> => {
    const request = await readRequest(message, requestId);
    const match = matchRoute(api.routes, request.method, request.path);
    if (match === undefined) throw new GatewayError('MISSING_AUTHENTICATION_TOKEN');
    const { authorizer, integration } = match.route;
    const caller = await authorizers.get(authorizer)?.(request, match);
    if (integration.type === 'MOCK') {
      const isAccepted = integration.mediaTypes?.includes(mediaTypeOf(request)) ?? true;
      if (!isAccepted) throw new GatewayError('UNSUPPORTED_MEDIA_TYPE');
      return staticResponse(integration, requestId);
    }
    const event = proxyEvent(api, request, match, caller);
    if (Buffer.byteLength(JSON.stringify(event)) > payloadLimit) throw new GatewayError('REQUEST_TOO_LARGE');
    return proxyResponse(await integrate(invoke, integration, event));
  };
}

async function integrate(invoke: Invoke, integration: Integration<'AWS_PROXY'>, event: unknown): Promise<unknown> {
  const onTimeout = (): Error => new GatewayError('INTEGRATION_TIMEOUT');
  try {
    return await withTimeout(invoke(integration.function, event), integration.timeoutMs, onTimeout);
  } catch (error) {
    throw error instanceof FunctionFailure ? new GatewayError('INTEGRATION_FAILURE', error) : error;
  }
}
