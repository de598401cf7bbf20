import type { Permission } from '../../access/permissions.ts';
import type { ErrorCode } from '../../item/errors.ts';
import type { ParameterName } from './parameters.ts';
import type { HeaderName } from './responseHeaders.ts';
import type { Schema } from './schema.ts';

/** What the document says of an operation beside its method and path. */
export interface OperationDocument {
  readonly summary: string;
  readonly description: string;
  /** Left out: any valid token will do. */
  readonly permission?: Permission;
  readonly parameters?: readonly ParameterName[];
  readonly requestBody?: { readonly schema: string; readonly example: Schema };
  readonly success: {
    readonly status: number;
    readonly description: string;
    /** Those headers whose values differ from operation to operation. */
    readonly headers: readonly HeaderName[];
    readonly schema: string;
    readonly example: Schema;
    readonly links?: Schema;
  };
  /** The refusals of its own; {@link anyOperation} has those of all. */
  readonly errors: readonly ErrorCode[];
}

/** How any operation can be refused. */
export const anyOperation = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
] as const satisfies readonly ErrorCode[];

/** How an operation can be refused for its body, whatever the fields. */
export const anyBody = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[];

/** How a client goes on from a response that shows an item. */
export const itemLinks: Schema = {
  getItem: {
    operationId: 'getItem',
    description: 'Reads the item.',
    parameters: { id: '$response.body#/data/id' },
  },
  updateItem: {
    operationId: 'updateItem',
    description: 'Updates the item, unless somebody else has done so since.',
    parameters: { id: '$response.body#/data/id', 'If-Match': '$response.header.etag' },
  },
};
