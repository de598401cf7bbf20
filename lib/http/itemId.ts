import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { CatalogError } from '../item/errors.ts';

/** Reads the item's id from the path. What is no id that an item can have is answered as an item that is not there. */
export const itemId = (): MiddlewareObj<APIGatewayProxyEvent & { itemId: number }> => ({
  before: ({ event }) => {
    const text: unknown = event.pathParameters?.['id'];
    const id = typeof text === 'string' && /^[1-9][0-9]{0,15}$/.test(text) ? Number(text) : Number.NaN;
    if (!Number.isSafeInteger(id)) throw new CatalogError('ITEM_NOT_FOUND');
    event.itemId = id;
  },
});
