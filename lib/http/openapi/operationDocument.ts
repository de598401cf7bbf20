import type { Permission } from '../../access/permissions.ts';
import type { ErrorCode } from '../../item/errors.ts';
import type { ParameterName } from './parameters.ts';
import type { HeaderName } from './responseHeaders.ts';
import type { Schema } from './schema.ts';

/** The documentation of an operation, apart from its method and path. */
export interface OperationDocument {
  readonly summary: string;
  readonly description: string;
  /** If omitted, any valid token is enough. */
  readonly permission?: Permission;
  readonly parameters?: readonly ParameterName[];
  readonly requestBody?: { readonly schema: string; readonly example: Schema };
  readonly success: {
    readonly status: number;
    readonly description: string;
    /** Headers that not every operation has. */
    readonly headers: readonly HeaderName[];
    readonly schema: string;
    readonly example: Schema;
    readonly links?: Schema;
  };
  /** The errors of this operation, in addition to {@link anyOperation}. */
  readonly errors: readonly ErrorCode[];
}

/** Errors that every operation can return. */
export const anyOperation = [
  'INVALID_REQUEST',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'TOO_MANY_REQUESTS',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
  'GATEWAY_TIMEOUT',
] as const satisfies readonly ErrorCode[];

/** Errors that every operation with a body can return. */
export const anyBody = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
] as const satisfies readonly ErrorCode[];

/** What a client can do next after a response with an item. */
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
