import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { type Operation, operations } from '../http/operations.ts';
import { errors } from '../item/errors.ts';
import { type Api, SmokeFailure, type SmokeRequest, type SmokeResponse } from './smokeApi.ts';

export type VersionName = Operation | 'authorizer';

/** Invokes a version. If that fails, the error has the message that API Gateway would see. */
export type Invoke = (name: VersionName, event: object) => Promise<unknown>;

interface Authorized {
  readonly principalId: string;
  readonly policyDocument: { readonly Statement: readonly { readonly Effect: string }[] };
  readonly context?: Readonly<Record<string, unknown>>;
}

interface Proxied {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** New versions of the functions that have no traffic yet, called as API Gateway would call them. */
export class NewVersions implements Api {
  readonly #invoke: Invoke;

  constructor(invoke: Invoke) {
    this.#invoke = invoke;
  }

  async send(request: SmokeRequest): Promise<SmokeResponse> {
    const { name, ...event } = eventOf(request);
    const authorization = { ...event, type: 'REQUEST', methodArn: `${stage}/${request.method}${event.path}` };
    const authorized = await this.#call<Authorized>('authorizer', authorization);
    if (authorized === undefined) return refusal(event.requestContext.requestId, 'UNAUTHORIZED');
    const { principalId, policyDocument, context } = authorized;
    if (policyDocument.Statement.some(({ Effect }) => Effect !== 'Allow'))
      return refusal(event.requestContext.requestId, 'FORBIDDEN');
    const requestContext = { ...event.requestContext, authorizer: { ...context, principalId } };
    const answer = await this.#call<Proxied>(name, { ...event, requestContext });
    if (answer?.statusCode === undefined) throw new SmokeFailure(`returned ${JSON.stringify(answer)}`, undefined);
    const headers = new Headers(answer.headers);
    // The gateway compresses responses, and decompresses what it hands on.
    headers.set('content-encoding', request.headers?.['accept-encoding'] ?? 'identity');
    return { status: answer.statusCode, headers, body: JSON.parse(answer.body) };
  }

  /** @returns undefined if an authorizer refuses the caller */
  async #call<Result>(name: VersionName, event: object): Promise<Result | undefined> {
    try {
      return (await this.#invoke(name, event)) as Result;
    } catch (error) {
      const { message } = error as Error;
      if (name === 'authorizer' && message === 'Unauthorized') return undefined;
      throw new SmokeFailure(`failed in ${name}: ${message}`, undefined);
    }
  }
}

const stage = 'arn:aws:execute-api:region:account:api/live';

function refusal(requestId: string, code: 'UNAUTHORIZED' | 'FORBIDDEN'): SmokeResponse {
  const { status, message } = errors[code];
  return { status, headers: new Headers({ 'x-request-id': requestId }), body: { error: { message, code } } };
}

/** The event of a request, and the operation that it is for. */
function eventOf({ method, path, token, headers = {}, body }: SmokeRequest) {
  const { pathname, searchParams } = new URL(path, 'https://new.versions');
  const [name, id] = routeOf(method, pathname);
  const sent = { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const plain = Buffer.isBuffer(body) ? gunzipSync(body) : Buffer.from(JSON.stringify(body) ?? '');
  const repeated = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, [value]]));
  const query = Object.fromEntries(searchParams);
  return {
    name,
    path: pathname,
    httpMethod: method,
    headers: sent,
    multiValueHeaders: repeated(sent),
    queryStringParameters: query,
    multiValueQueryStringParameters: repeated(query),
    pathParameters: id === undefined ? null : { id },
    body: plain.toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId: randomUUID() },
  };
}

function routeOf(method: string, path: string): [name: Operation, id: string | undefined] {
  for (const [name, operation] of Object.entries(operations)) {
    const route = new RegExp(`^${operation.path.replace('{id}', '(\\d+)')}$`).exec(path);
    if (operation.method === method && route !== null) return [name as Operation, route[1]];
  }
  throw new Error(`No operation is ${method} ${path}`);
}
