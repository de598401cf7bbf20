import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import type { Header } from '../template/readApi.ts';
import { GatewayError, type HttpResponse } from './gatewayResponse.ts';

/**
 * The format of a proxy integration's response. API Gateway rejects the whole response if it has any other property. What
 * it takes and no function sends, such as repeated headers and binary bodies, is rejected here.
 */
const responseSchema = z.strictObject({
  statusCode: z._default(z.int().check(z.gte(200), z.lte(599)), 200),
  headers: z._default(z.record(z.string(), z.string()), {}),
  body: z._default(z.string(), ''),
});

/** Headers that the gateway sets itself. */
const ownHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/**
 * Converts the result of a proxy integration's function to the response for the client.
 * @throws GatewayError if the result is not in the format that API Gateway requires
 */
export function proxyResponse(result: unknown): HttpResponse {
  const parsed = z.safeParse(responseSchema, result);
  if (!parsed.success) throw new GatewayError('INTEGRATION_FAILURE', parsed.error);
  const { statusCode: status, headers, body } = parsed.data;
  const all = Object.entries(headers)
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]) => validHeader(remappedName(name), value));
  const typed = all.some(([name]) => name.toLowerCase() === 'content-type');
  return { status, headers: typed ? all : [['content-type', 'application/json'], ...all], body };
}

/** API Gateway renames some headers of functions' responses. This is the only one of them that our functions send. */
const remappedName = (name: string): string =>
  name.toLowerCase() === 'www-authenticate' ? `x-amzn-remapped-${name}` : name;

function validHeader(name: string, value: string): Header {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
  } catch (error) {
    throw new GatewayError('INTEGRATION_FAILURE', error);
  }
  return [name, value];
}
