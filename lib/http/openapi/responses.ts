import type { ErrorCode } from '../../item/errors.ts';
import { errors } from '../../item/errors.ts';
import { commonHeaders } from '../headers.ts';
import { errorName } from './errorSchemas.ts';
import { refusal } from './examples.ts';
import type { OperationDocument } from './operationDocument.ts';
import { anyOperation } from './operationDocument.ts';
import type { HeaderName } from './responseHeaders.ts';
import { responseHeaders } from './responseHeaders.ts';
import { reference, type Schema } from './schema.ts';

const content = (schema: Schema, examples: Schema): Schema => ({
  [commonHeaders['content-type']]: { schema, examples },
});

/** Extra headers, for the codes that have any. */
const ownHeaders: Partial<Record<ErrorCode, readonly HeaderName[]>> = { PRECONDITION_FAILED: ['etag'] };

/** @param codes codes that share one status */
function errorResponse(codes: readonly ErrorCode[]): Schema {
  const schemas = codes.map((code) => reference('schemas', errorName(code)));
  const examples = codes.map((code) => [errorName(code), { value: refusal(code) }] as const);
  const [first] = codes;
  return {
    description: codes.map((code) => `\`${code}\`: ${errors[code].message}`).join(' '),
    headers: responseHeaders(
      first === undefined ? 0 : errors[first].status,
      codes.flatMap((code) => ownHeaders[code] ?? []),
    ),
    content: content(schemas.length === 1 ? (schemas[0] ?? {}) : { anyOf: schemas }, Object.fromEntries(examples)),
  };
}

/** The error codes of an operation, grouped and sorted by status. */
function byStatus({ errors: own }: OperationDocument): readonly (readonly [number, readonly ErrorCode[]])[] {
  const codes = [...anyOperation, ...own];
  const statuses = [...new Set(codes.map((code) => errors[code].status))].sort((a, b) => a - b);
  return statuses.map((status) => [status, codes.filter((code) => errors[code].status === status)]);
}

/** Response components: one for every error that is the only one of its status in some operation. */
export const sharedResponses = (all: readonly OperationDocument[]): Record<string, Schema> =>
  Object.fromEntries(
    all
      .flatMap(byStatus)
      .flatMap(([, codes]) => (codes.length === 1 ? codes : []))
      .map((code) => [errorName(code), errorResponse([code])]),
  );

/** All responses of an operation, by status. */
export function responsesOf(operation: OperationDocument): Record<string, Schema> {
  const { status, description, headers, schema, example, links } = operation.success;
  const success = {
    description,
    headers: responseHeaders(status, headers),
    content: content(reference('schemas', schema), { example: { value: example } }),
    ...(links && { links }),
  };
  const refused = byStatus(operation).map(([of, codes]) => {
    const [only, ...others] = codes;
    const isShared = only !== undefined && others.length === 0;
    return [String(of), isShared ? reference('responses', errorName(only)) : errorResponse(codes)] as const;
  });
  return { [status]: success, ...Object.fromEntries(refused) };
}
