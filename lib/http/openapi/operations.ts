import type { Operation } from '../routes.ts';
import { createdItem, itemChanges, newItem, updatedItem } from './examples.ts';
import { anyBody, itemLinks, type OperationDocument } from './operationDocument.ts';

export const operations: Readonly<Record<Operation, OperationDocument>> = {
  createItem: {
    summary: 'Create an item',
    description: 'A validation error or a conflict creates nothing.',
    permission: 'catalog:edit',
    parameters: ['IdempotencyKey'],
    requestBody: { schema: 'NewItem', example: newItem },
    success: {
      status: 201,
      description: 'The new item.',
      headers: ['etag', 'location', 'idempotency-replayed'],
      schema: 'ItemResponse',
      example: createdItem.body,
      links: itemLinks,
    },
    errors: [...anyBody, 'ITEM_ALREADY_EXISTS', 'VALIDATION_FAILED', 'IDEMPOTENCY_KEY_REUSED'],
  },
  updateItem: {
    summary: 'Update an item partially',
    description: 'Only the fields that are sent change.',
    permission: 'catalog:edit',
    parameters: ['ItemId', 'IfMatch'],
    requestBody: { schema: 'ItemChanges', example: itemChanges },
    success: {
      status: 200,
      description: 'The whole item after the update.',
      headers: ['etag'],
      schema: 'ItemResponse',
      example: updatedItem.body,
      links: itemLinks,
    },
    errors: [
      ...anyBody,
      'NOTHING_TO_UPDATE',
      'ITEM_NOT_FOUND',
      'ITEM_ALREADY_EXISTS',
      'PRECONDITION_FAILED',
      'VALIDATION_FAILED',
    ],
  },
};
