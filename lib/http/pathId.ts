import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { ErrorCode } from '../item/errors.ts';
import { CatalogError } from '../item/errors.ts';

/**
 * Parses the id in the path.
 * @param missing the error for a text that cannot be an id
 * @throws CatalogError with that code
 */
export function pathId({ pathParameters }: APIGatewayProxyEvent, missing: ErrorCode): number {
  const text: unknown = pathParameters?.['id'];
  const id = typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new CatalogError(missing);
  return id;
}
