import { randomUUID } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type Operation, operations } from '../../lib/http/operations.ts';

export interface ApiRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Passed in base64, as API Gateway passes bodies of this API. */
  readonly body?: string | Uint8Array | undefined;
}

/** The id in a path, which is a component of its own. */
const itemId = /(?<=\/)\d+(?=\/|$)/;

/**
 * A request as API Gateway passes it to a function, as far as the functions read it.
 * @param authorizer the caller, as the authorizer returns it; undefined for the authorizer itself
 * @returns the operation, and its event
 * @throws an error if no operation has this method and path
 */
export function apiEvent(
  { method, path, headers = {}, body }: ApiRequest,
  authorizer?: Readonly<Record<string, string>>,
) {
  const { pathname, searchParams } = new URL(path, 'https://api.invalid');
  const id = itemId.exec(pathname)?.[0];
  const route = pathname.replace(itemId, '{id}');
  const names = Object.keys(operations) as Operation[];
  const operation = names.find((name) => operations[name].method === method && operations[name].path === route);
  if (operation === undefined) throw new Error(`No operation is ${method} ${pathname}`);
  const multiple = (values: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
  const query = Object.fromEntries(searchParams);
  const event = {
    resource: route,
    path: pathname,
    httpMethod: method,
    headers,
    multiValueHeaders: multiple(headers),
    queryStringParameters: query,
    multiValueQueryStringParameters: multiple(query),
    pathParameters: id === undefined ? null : { id },
    body: body === undefined ? null : Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
    requestContext: { requestId: randomUUID(), path: pathname, ...(authorizer && { authorizer }) },
  };
  return { operation, event: event as unknown as APIGatewayProxyEvent };
}
