import { ownKeyForm } from '../item/batchFields.ts';
import { identifierNames } from '../item/fields.ts';
import { limits } from '../item/limits.ts';
import { subjects } from './errorSchemas.ts';
import { lastWriteSchemas, sentFields } from './itemSchemas.ts';
import { describedObject, itemId, listOf, objectSchema, reference, type Schema } from './schema.ts';

const create = {
  description:
    'Whether a row that neither has an `id` nor matches an item is a new item. If not, it is refused. By default true.',
  type: 'boolean',
};

const keys = {
  description:
    'For each row an idempotency key of its own, or null for one that is made from that of the batch and the row’s place. No key may appear twice. A row of another batch with the same key is the same row.',
  type: 'array',
  minItems: limits.rows.min,
  maxItems: limits.rows.max,
  items: { type: ['string', 'null'], pattern: ownKeyForm.source },
};

const unchanged = {
  description:
    'With `skip`, an update that would change nothing writes nothing: the item keeps its revision and who wrote it last. Not if the row has a `cost` that the token may not see.',
  type: 'string',
  enum: ['skip'],
};

export const batchSchemas = {
  Batch: describedObject(
    'Rows to create and update. Other members are refused.',
    {
      rows: { type: 'array', minItems: limits.rows.min, maxItems: limits.rows.max, items: reference('schemas', 'Row') },
      match: {
        description:
          'A row without `id` updates the item that has the row’s `sku`, or `pn`. If there is none, it is new. An object also takes `create`, `keys` and `unchanged`. If the service does not know one of its members, it refuses the whole batch.',
        oneOf: [
          { type: 'string', enum: identifierNames },
          objectSchema(
            { field: { type: 'string', enum: identifierNames }, create, keys, unchanged },
            { optional: ['field', 'create', 'keys', 'unchanged'], additionalProperties: false },
          ),
        ],
      },
      create,
      keys,
      dry_run: {
        description: 'Whether to write nothing, and only show how each row would be answered.',
        type: 'boolean',
      },
    },
    { optional: ['match', 'create', 'keys', 'dry_run'], additionalProperties: false },
  ),

  Row: {
    description:
      'A new item, which needs a name, or changes to an item. Other members are ignored. Omitted fields are treated as in a create or an update.',
    type: 'object',
    properties: {
      id: { description: 'The item to update. Without it, the row is a new item, unless it matches one.', ...itemId },
      revision: {
        description: 'Beside `id`: the item is updated only if it still has this revision, as with `If-Match`.',
        ...itemId,
      },
      ...sentFields,
    },
  },

  BatchResponse: objectSchema({
    data: { description: 'In the order of the rows.', ...listOf('RowResult') },
  }),

  RowResult: describedObject(
    'The result of a row.',
    {
      status: {
        description:
          'The status of the same row as a request of its own: 201 if it was created, 200 if it was updated.',
        type: 'integer',
      },
      id: { description: 'The item. Omitted if it was not created, or only would be.', ...itemId },
      revision: {
        ...lastWriteSchemas.revision,
        description: 'The revision of the item, also if the row named another one.',
      },
      changes: {
        description: 'What an update would change, in a dry run. Values above 1 KB are omitted.',
        ...listOf('FieldChange'),
      },
      replayed: {
        description: 'True if the row was already done with its key, and was not done again.',
        type: 'boolean',
      },
      unchanged: {
        description: 'True if the row would have changed nothing, and was skipped as requested.',
        type: 'boolean',
      },
      error: reference('schemas', 'RowError'),
    },
    { optional: ['id', 'revision', 'changes', 'replayed', 'unchanged', 'error'] },
  ),

  RowError: describedObject(
    'Why a row was refused, or could not be done.',
    {
      message: { description: 'A message that can be shown to users.', type: 'string' },
      code: { description: 'As of the same row in a request of its own.', type: 'string' },
      ...subjects,
      fields: {
        description: 'The invalid fields, or the identifiers that are already taken.',
        type: 'array',
        minItems: 1,
        items: { anyOf: [reference('schemas', 'InvalidField'), reference('schemas', 'TakenIdentifier')] },
      },
    },
    { optional: ['by', 'field', 'fields'] },
  ),
} satisfies Readonly<Record<string, Schema>>;
