import type { APIGatewayProxyEvent } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';

/**
 * The item's id from the path.
 * @throws CatalogError `ITEM_NOT_FOUND` for what no item can have as its id
 */
export function itemId({ pathParameters }: APIGatewayProxyEvent): number {
  const text: unknown = pathParameters?.['id'];
  const id = typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new CatalogError('ITEM_NOT_FOUND');
  return id;
}
