import { commonHeaders, headersOfStatus, type ResponseHeader } from '../http/headers.ts';
import { type Operation, operations, successStatus } from '../http/operations.ts';
import { type ErrorCode, errors } from '../item/errors.ts';
import { limits } from '../item/limits.ts';
import { batchSchemas } from './batchSchemas.ts';
import { configurationSchemas, readSchemas } from './catalogSchemas.ts';
import { documentedOperations, errorsOf } from './documentedOperations.ts';
import { errorName, errorSchemas } from './errorSchemas.ts';
import { errorExample, requestExamples, responseExamples } from './examples.ts';
import { itemSchemas, metadataSchemas } from './itemSchemas.ts';
import { parameters, queryParameters } from './parameters.ts';
import { jsonContent, reference, type Schema } from './schema.ts';

/** What a client can do next after a response with an item. */
const itemLinks: Schema = {
  getItem: {
    operationId: 'getItem',
    description: 'Read the item.',
    parameters: { id: '$response.body#/data/id' },
  },
  updateItem: {
    operationId: 'updateItem',
    description: 'Update the item, unless it has changed in the meantime.',
    parameters: { id: '$response.body#/data/id', 'If-Match': '$response.header.etag' },
  },
};

const byStatus = (operation: Operation): readonly (readonly [number, readonly ErrorCode[]])[] =>
  [...Map.groupBy(errorsOf(operation), (code) => errors[code].status)].sort(([a], [b]) => a - b);

/** @param codes codes that share the status */
function errorResponseObject(status: number, codes: readonly ErrorCode[]): Schema {
  const [schema = {}, ...others] = codes.map((code) => reference('schemas', errorName(code)));
  const examples = Object.fromEntries(codes.map((code) => [errorName(code), errorExample(code)]));
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
    headers: responseHeaders(status, codes.includes('PRECONDITION_FAILED') ? ['etag'] : []),
    content: jsonContent(others.length === 0 ? schema : { anyOf: [schema, ...others] }, examples),
  };
}

/** The component name of a response with only one error code; undefined for several codes. */
const sharedName = ([code, ...others]: readonly ErrorCode[]): string | undefined =>
  code === undefined || others.length > 0 ? undefined : errorName(code);

/** Response components: one for every error that is the only one of its status in some operation. */
const sharedResponses = (): Record<string, Schema> =>
  Object.fromEntries(
    (Object.keys(operations) as Operation[]).flatMap(byStatus).flatMap(([status, codes]) => {
      const name = sharedName(codes);
      return name === undefined ? [] : [[name, errorResponseObject(status, codes)]];
    }),
  );

function responsesOf(operation: Operation): Record<string, Schema> {
  const { success: description, schema, headers = [] } = documentedOperations[operation];
  const status = successStatus(operation);
  const success = {
    description,
    headers: responseHeaders(status, headers),
    content: jsonContent(reference('schemas', schema), { example: responseExamples[operation] }),
    ...(schema === 'ItemResponse' && { links: itemLinks }),
  };
  const failures = byStatus(operation).map(([failed, codes]) => {
    const shared = sharedName(codes);
    return [failed, shared === undefined ? errorResponseObject(failed, codes) : reference('responses', shared)];
  });
  return { [status]: success, ...Object.fromEntries(failures) };
}

const text: Schema = { type: 'string' };
const constant = (value = ''): Schema => ({ type: 'string', const: value });
const always = { required: true };

/** The headers of every response. One with `required` is always present. */
const shared = {
  'x-request-id': { ...always, description: 'Identifies the request in the service’s log.', schema: text },
  'cache-control': { ...always, schema: constant(commonHeaders['cache-control']) },
  'x-content-type-options': { ...always, schema: constant(commonHeaders['x-content-type-options']) },
  'access-control-allow-origin': {
    description: 'The origin whose pages may read the response, or `*` for all origins.',
    schema: text,
  },
  'access-control-expose-headers': { schema: text },
  vary: { description: 'Sent if only certain origins may call the API.', schema: constant('origin') },
};

/** A new name that API Gateway gives to a function's `WWW-Authenticate`. */
const remapped = 'x-amzn-remapped-www-authenticate';

/** `Allow` is missing, because it is only sent in response to an unsupported method, which OpenAPI cannot describe. */
const headers = {
  ...shared,
  etag: {
    ...always,
    description: 'The item’s revision. Send it as `If-Match` to update the item only if it has not changed since.',
    schema: { type: 'string', pattern: '^"[1-9][0-9]*"$' },
    example: '"1"',
  },
  location: {
    ...always,
    description: 'The path of the new item.',
    schema: { type: 'string', format: 'uri-reference' },
  },
  'idempotency-replayed': {
    description:
      'Sent if the request was already carried out with this `Idempotency-Key`, and was not carried out again.',
    schema: constant('true'),
  },
  'www-authenticate': {
    description: 'Sent if the API gateway rejected the token.',
    schema: constant(headersOfStatus[401]?.['www-authenticate']),
  },
  [remapped]: {
    description: 'Sent instead of `WWW-Authenticate` if the token expired after the API gateway had accepted it.',
    schema: constant(headersOfStatus[401]?.['www-authenticate']),
  },
  'retry-after': {
    ...always,
    description: 'How many seconds to wait before sending the same request again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
    example: headersOfStatus[503]?.['retry-after'] ?? '',
  },
} satisfies Readonly<Record<Exclude<ResponseHeader, 'allow' | 'content-type'> | typeof remapped, Schema>>;

/** References to the headers of a response. @param own headers that are specific to this response */
function responseHeaders(status: number, own: readonly ResponseHeader[]): Schema {
  const ofStatus = Object.keys(headersOfStatus[status] ?? {});
  const names = [...Object.keys(shared), ...ofStatus, ...(status === 401 ? [remapped] : []), ...own];
  return Object.fromEntries(names.map((name) => [name, reference('headers', name)]));
}

const description = `Creates, updates, reads and lists the products and services of an account.

Every error response contains \`{ "error": { "message", "code" } }\`. Lengths are counted in Unicode code points. A request body has at most ${limits.body} bytes. Every GET operation also supports HEAD.`;

const securitySchemes: Schema = {
  serviceToken: {
    type: 'http',
    scheme: 'bearer',
    description: 'A token issued by an operator. It starts with `cat_`.',
  },
  userToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token issued by your organisation’s identity provider.',
  },
};

function operationObject(name: Operation): Schema {
  const { permission } = operations[name];
  const { summary, description, parameters = [], requestBody } = documentedOperations[name];
  const access = permission === null ? 'Any valid token is sufficient.' : `Requires the permission \`${permission}\`.`;
  return {
    operationId: name,
    tags: ['Items'],
    summary,
    description: `${description} ${access}`,
    parameters: parameters.flatMap((parameter) =>
      parameter === 'listParameters' ? queryParameters : [reference('parameters', parameter)],
    ),
    ...(requestBody !== undefined && {
      requestBody: {
        required: true,
        content: jsonContent(reference('schemas', requestBody), { example: requestExamples[requestBody] }),
      },
    }),
    responses: responsesOf(name),
  };
}

function paths(): Schema {
  const all: Record<string, Record<string, Schema>> = {};
  for (const [name, { method, path }] of Object.entries(operations))
    all[path] = { ...all[path], [method.toLowerCase()]: operationObject(name as Operation) };
  return all;
}

/** Generates the API's OpenAPI document from the code that defines each rule. */
export function openApiDocument(version: string): Schema {
  return {
    openapi: '3.1.1',
    info: { title: 'Catalog', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    // The service that `npm start` runs. Other environments have their own addresses.
    servers: [{ url: 'http://127.0.0.1:3000', description: 'A local instance' }],
    security: [{ serviceToken: [] }, { userToken: [] }],
    tags: [{ name: 'Items', description: 'The items of the caller’s account.' }],
    paths: paths(),
    components: {
      schemas: {
        ...itemSchemas,
        ...batchSchemas,
        ...readSchemas,
        ...configurationSchemas,
        ...metadataSchemas,
        ...errorSchemas((Object.keys(operations) as Operation[]).flatMap(errorsOf)),
      },
      parameters,
      headers,
      responses: sharedResponses(),
      securitySchemes,
    },
  };
}
