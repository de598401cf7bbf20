import type { Caller } from '../access/caller.ts';
import { PreconditionFailed } from '../catalog/preconditionFailed.ts';
import type { CatalogError } from '../item/errors.ts';
import { errors } from '../item/errors.ts';
import { etag } from './etag.ts';
import { presentItem } from './presenter.ts';
import type { HandlerResponse } from './responder.ts';

/**
 * An error response (spec 7.1). The gateway's own error responses have the same shape. A failed precondition also
 * returns the current item and its entity tag, as a success would.
 * @param caller undefined if the request failed before the caller was identified
 */
export function errorResponse(refusal: CatalogError, caller: Caller | undefined): HandlerResponse {
  const { code, message, fields } = refusal;
  const { status } = errors[code];
  const error = { message, code, ...(fields && { fields }) };
  if (!(refusal instanceof PreconditionFailed) || caller === undefined) return { status, body: { error } };
  const { item, categoryName } = refusal.current;
  const data = presentItem(item, categoryName, caller);
  return { status, headers: { etag: etag(item.revision) }, body: { error, data } };
}
