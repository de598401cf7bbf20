import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { localEnvironment } from '../../cli/localCredentials.ts';
import { keyAttributes } from '../../lib/store/database/record.ts';
import { forward, refuse } from '../engine/engineProxy.ts';
import { type Listening, listen } from '../listen.ts';
import type { FunctionDefinition } from '../template/readFunctions.ts';
import { callsOf, refusalOf } from './role.ts';

/** Names the function in the signature of a request, as a function's credentials name its role on AWS. */
const signedBy = /(?<=Credential=)\w+/;

/**
 * Starts the address by which functions reach DynamoDB. Each has its id as its access key, and may do what its role
 * allows. Anybody else is refused.
 */
export function startRoleProxy(endpoint: string, functions: readonly FunctionDefinition[]): Promise<Listening> {
  const roles = new Map(functions.map((each) => [each.id, each]));
  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const { authorization = '', 'x-amz-target': target = '' } = message.headers;
    const body = await buffer(message);
    const caller = roles.get(signedBy.exec(authorization)?.[0] ?? '');
    if (caller === undefined) return refuse(response, 'Only functions may use this address.');
    const [, operation = ''] = String(target).split('.');
    const refusals = callsOf(operation, JSON.parse(body.toString()), keyAttributes.partition).flatMap(
      (call) => refusalOf(caller, call) ?? [],
    );
    if (refusals[0] !== undefined) return refuse(response, refusals[0], 400);
    // DynamoDB Local keeps separate tables for each access key.
    const shared = authorization.replace(signedBy, localEnvironment.AWS_ACCESS_KEY_ID);
    const headers = message.rawHeaders.map((text) => (text === authorization ? shared : text));
    const { method, url } = message;
    forward({ method, url, rawHeaders: headers }, Readable.from([body]), response, endpoint);
  }
  const server = createServer((message, response) => {
    // What ends the caller's request early needs no response.
    handle(message, response).catch(() => response.destroy());
  });
  return listen(server);
}
