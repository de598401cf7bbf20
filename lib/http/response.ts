import type { APIGatewayProxyResult } from 'aws-lambda';
import type { Caller } from '../access/caller.ts';
import { PreconditionFailed } from '../catalog/preconditionFailed.ts';
import type { CatalogError } from '../item/errors.ts';
import { errors } from '../item/errors.ts';
import { etag } from './etag.ts';
import type { ResponseHeader, ResponseHeaders } from './headers.ts';
import { presentItem } from './presenter.ts';

/** What a handler returns. The status is that of its operation. */
export interface SuccessResponse {
  readonly headers?: ResponseHeaders;
  readonly body: unknown;
  /** Whether this response repeats that of an earlier request with the same key. */
  readonly replayed?: boolean;
}

/** {@link proxyResult} converts it to the gateway's format. */
export interface HandlerResponse extends SuccessResponse {
  readonly status: number;
}

export const replayedHeader: ResponseHeader = 'idempotency-replayed';

/** Converts a response to the format of API Gateway's proxy integration. */
export const proxyResult = ({ status, headers, body, replayed }: HandlerResponse): APIGatewayProxyResult => ({
  statusCode: status,
  headers: { ...headers, ...(replayed === true && { [replayedHeader]: 'true' }) },
  body: JSON.stringify(body),
});

/**
 * Formats an error for responses (spec 7.1). The gateway's own error responses have the same shape. A failed
 * precondition also returns the current item and its entity tag, as a success would.
 * @param caller undefined if the request failed before the caller was identified
 */
export function presentError(failure: CatalogError, caller: Caller | undefined): HandlerResponse {
  const { code, message, fields } = failure;
  const { status } = errors[code];
  const error = { message, code, ...(fields && { fields }) };
  if (!(failure instanceof PreconditionFailed) || caller === undefined) return { status, body: { error } };
  const { item, categoryName } = failure.current;
  const data = presentItem(item, categoryName, caller);
  return { status, headers: { etag: etag(item.revision) }, body: { error, data } };
}
