import type { Operation } from '../routes.ts';
import { catalog, createdItem, itemChanges, listedItems, newItem, updatedItem } from './examples.ts';
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
  getItem: {
    summary: 'Read an item',
    description: 'The item as it is now. Without the permission `catalog:cost:read`, `cost` is left out.',
    parameters: ['ItemId'],
    success: {
      status: 200,
      description: 'The item.',
      headers: ['etag'],
      schema: 'ItemResponse',
      example: updatedItem.body,
      links: itemLinks,
    },
    errors: ['ITEM_NOT_FOUND', 'VALIDATION_FAILED'],
  },
  listItems: {
    summary: 'List items',
    description: 'The items of the account by name, page by page; without inactive ones unless they are asked for.',
    parameters: ['include_inactive', 'category', 'type', 'search', 'sku', 'pn', 'limit', 'cursor'],
    success: {
      status: 200,
      description: 'A page of the list.',
      headers: [],
      schema: 'ItemList',
      example: listedItems,
    },
    errors: ['VALIDATION_FAILED'],
  },
  getCatalog: {
    summary: 'Read what a form for an item is made from',
    description: 'Categories, units, defaults, limits and permissions, at most a minute old.',
    success: {
      status: 200,
      description: 'What a form is made from.',
      headers: [],
      schema: 'CatalogResponse',
      example: catalog,
    },
    errors: ['VALIDATION_FAILED'],
  },
};
