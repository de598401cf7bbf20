import type { Caller } from '../access/caller.ts';
import { PreconditionFailed } from '../catalog/preconditionFailed.ts';
import type { CatalogError } from '../item/errors.ts';
import { errors } from '../item/errors.ts';
import { etag } from './etag.ts';
import { presentItem } from './presenter.ts';
import type { HandlerResponse } from './responder.ts';

/**
 * An error as spec 7.1 shapes it; what the gateway answers by itself has the same shape. A failed precondition also shows
 * the item as it is now, with its entity tag, as a success would.
 * @param caller undefined when the request was refused before it was known
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
