import { validateHeaderName, validateHeaderValue } from 'node:http';
import * as z from 'zod/mini';
import type { ApiDefinition, Header } from '../template/deployment.ts';
import { GatewayError } from './gatewayError.ts';
import { type GatewayRequest, headerValues } from './gatewayRequest.ts';
import type { Answer } from './gatewayResponse.ts';

const headerValue = z.union([z.string(), z.boolean(), z.number()]);

/** What API Gateway takes from a function; a further property makes the whole answer malformed. */
const answerSchema = z.strictObject({
  statusCode: z._default(z.coerce.number().check(z.int(), z.gte(200), z.lte(599)), 200),
  headers: z.nullish(z.record(z.string(), headerValue)),
  multiValueHeaders: z.nullish(z.record(z.string(), z.array(headerValue))),
  body: z.nullish(z.string()),
  isBase64Encoded: z.nullish(z.boolean()),
});

/** Headers that the gateway sets by itself. */
const ownHeaders = new Set(['connection', 'content-length', 'keep-alive', 'transfer-encoding']);

/**
 * Turns a function's answer into the response.
 * @param answer what the function gave
 * @throws GatewayError when it is not of the form that API Gateway takes
 */
export function proxyAnswer(api: ApiDefinition, request: GatewayRequest, answer: unknown): Answer {
  const parsed = z.safeParse(answerSchema, answer);
  if (!parsed.success) throw new GatewayError('INTEGRATION_FAILURE', parsed.error);
  const { statusCode, headers, multiValueHeaders, body, isBase64Encoded } = parsed.data;
  const multiple = Object.entries(multiValueHeaders ?? {});
  const repeated = new Set(multiple.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(([name]) => !repeated.has(name.toLowerCase()));
  const all = [...single, ...multiple.flatMap(([name, values]) => values.map((value) => [name, value] as const))]
    .filter(([name]) => !ownHeaders.has(name.toLowerCase()))
    .map(([name, value]) => validHeader(shownName(name), String(value)));
  const typed = all.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status: statusCode,
    headers: typed ? all : [['content-type', 'application/json'], ...all],
    body: isBase64Encoded === true && wantsBytes(api, request) ? Buffer.from(body ?? '', 'base64') : (body ?? ''),
  };
}

/** API Gateway renames some headers of functions; of these ours send one. */
const shownName = (name: string): string =>
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

/** Base64 becomes bytes only for a client whose first accepted type is a binary one of the API. */
function wantsBytes({ binaryMediaTypes }: ApiDefinition, request: GatewayRequest): boolean {
  const accepted = (headerValues(request, 'accept').at(-1) ?? '').split(/[,;]/)[0] ?? '';
  return binaryMediaTypes.includes('*/*') || binaryMediaTypes.includes(accepted.trim().toLowerCase());
}
