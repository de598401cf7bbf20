import { gunzipSync } from 'node:zlib';
import type { APIGatewayAuthorizerResult, APIGatewayProxyResult } from 'aws-lambda';
import { functionServing, type Operation, type OperationFunction, operations } from '../../lib/http/operations.ts';
import { errors } from '../../lib/item/errors.ts';
import { apiEvent } from '../api/apiEvent.ts';
import type { SmokeCheck } from './runChecks.ts';
import { type Send, SmokeFailure, type SmokeRequest, type SmokeResponse } from './smokeApi.ts';

export type VersionName = OperationFunction | 'authorizer' | 'recordChanges';

/** The ARNs of versions, by function. */
export type Versions = Readonly<Record<VersionName, string>>;

/** Invokes a version. If that fails, the error has the message that API Gateway would see. */
export type InvokeVersion = (name: VersionName, event: object) => Promise<unknown>;

/** New versions of the functions that have no traffic yet, called as API Gateway would call them. */
export function newVersions(invoke: InvokeVersion): Send {
  /** @returns undefined if an authorizer refuses the caller */
  const call = async <Result>(name: VersionName, event: object): Promise<Result | undefined> => {
    try {
      return (await invoke(name, event)) as Result;
    } catch (error) {
      const { message } = error as Error;
      if (name === 'authorizer' && message === 'Unauthorized') return undefined;
      throw new SmokeFailure(`failed in ${name}: ${message}`, undefined);
    }
  };
  return async (request) => {
    const { name, event } = eventOf(request);
    const { requestId } = event.requestContext;
    const authorization = { ...event, type: 'REQUEST', methodArn: `${stage}/${request.method}${event.path}` };
    const authorized = await call<APIGatewayAuthorizerResult>('authorizer', authorization);
    const isAllowed = authorized?.policyDocument.Statement.every(({ Effect }) => Effect === 'Allow');
    if (isAllowed !== true) return refusal(requestId, authorized === undefined ? 'UNAUTHORIZED' : 'FORBIDDEN');
    const { permissions = '', ...caller } = authorized?.context ?? {};
    // The token need not have this permission, but the function that requires it must be called, too.
    const authorizer = { ...caller, permissions: `${permissions} catalog:admin`, principalId: authorized?.principalId };
    const passedOn = { ...event, requestContext: { ...event.requestContext, authorizer } };
    const answer = await call<APIGatewayProxyResult>(name, passedOn);
    if (answer?.statusCode === undefined) throw new SmokeFailure(`returned ${JSON.stringify(answer)}`, undefined);
    const headers = new Headers(answer.headers as Record<string, string>);
    // The gateway compresses responses.
    headers.set('content-encoding', request.headers?.['accept-encoding'] ?? 'identity');
    return { status: answer.statusCode, headers, body: JSON.parse(answer.body) };
  };
}

/**
 * Checks the version that records changes, which no request calls.
 * @param delivery a write, as the table's stream delivers it
 */
export const recordingCheck = (invoke: InvokeVersion, delivery: object): SmokeCheck => ({
  name: 'recordChanges',
  run: async () => {
    await invoke('recordChanges', delivery).catch(({ message }: Error) => {
      throw new SmokeFailure(`failed: ${message}`, undefined);
    });
  },
});

/**
 * Finds the routes that versions of functions with several routes do not serve, as earlier versions had fewer. Nobody is
 * signed in, so that a version which serves a route, such as `GET /items/{id}/changes`, refuses the caller.
 */
export async function unknownRoutes(invoke: InvokeVersion): Promise<string[]> {
  const answers = (name: VersionName, httpMethod: string, resource: string): Promise<boolean> =>
    invoke(name, { httpMethod, resource, headers: {}, requestContext: {} }).then(
      () => true,
      () => false,
    );
  const unknown: string[] = [];
  for (const [name, served] of Map.groupBy(Object.keys(operations) as Operation[], functionServing)) {
    if (served.length === 1) continue;
    // A version from before the function had several routes answers any as if it were the one.
    const servesOne = await answers(name, 'GET', '/');
    for (const operation of served) {
      const { method, path } = operations[operation];
      const isKnown = servesOne ? operation === (name as string) : await answers(name, method, path);
      if (!isKnown) unknown.push(`${method} ${path}`);
    }
  }
  return unknown;
}

const stage = 'arn:aws:execute-api:region:account:api/live';

function refusal(requestId: string, code: 'UNAUTHORIZED' | 'FORBIDDEN'): SmokeResponse {
  const { status, message } = errors[code];
  return { status, headers: new Headers({ 'x-request-id': requestId }), body: { error: { message, code } } };
}

function eventOf({ method, path, token, headers, body }: SmokeRequest) {
  const sent = { ...headers, authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  // The gateway decompresses bodies.
  const plain = Buffer.isBuffer(body) ? gunzipSync(body) : JSON.stringify(body);
  const { operation, event } = apiEvent({ method, path, headers: sent, body: plain });
  return { name: functionServing(operation), event };
}
