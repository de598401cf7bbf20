import { type Operation, operations, successStatus } from '../http/operations.ts';
import { type ErrorCode, errors } from '../item/errors.ts';
import { documentedOperations, errorsOf } from './documentedOperations.ts';
import { errorName } from './errorSchemas.ts';
import { errorExample, responseExamples } from './examples.ts';
import { responseHeaders } from './responseHeaders.ts';
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
