import { commonHeaders, headersOfStatus, type ResponseHeader } from '../http/headers.ts';
import { type Operation, operations, successStatus } from '../http/operations.ts';
import { type ErrorCode, errors } from '../item/errors.ts';
import { documentedOperations, errorsOf } from './documentedOperations.ts';
import { errorName } from './errorSchemas.ts';
import { errorExample, responseExamples } from './examples.ts';
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
export const sharedResponses = (): Record<string, Schema> =>
  Object.fromEntries(
    (Object.keys(operations) as Operation[]).flatMap(byStatus).flatMap(([status, codes]) => {
      const name = sharedName(codes);
      return name === undefined ? [] : [[name, errorResponseObject(status, codes)]];
    }),
  );

export function responsesOf(operation: Operation): Record<string, Schema> {
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
export const headers = {
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
