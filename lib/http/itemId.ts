import type { APIGatewayProxyEvent } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';

/**
 * Parses the item id in the path.
 * @throws CatalogError `ITEM_NOT_FOUND` for a text that cannot be an item id
 */
export function itemId({ pathParameters }: APIGatewayProxyEvent): number {
  const text: unknown = pathParameters?.['id'];
  const id = typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(id)) throw new CatalogError('ITEM_NOT_FOUND');
  return id;
}
