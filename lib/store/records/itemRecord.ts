import * as z from 'zod/mini';
import type { RequestContext } from '../../catalog/catalogStore.ts';
import type { Item } from '../../item/item.ts';
import { itemTypes } from '../../item/item.ts';
import type { JsonObject } from '../../item/json.ts';
import type { Attributes } from '../database/attributes.ts';
import { fromAttributes, toAttributes } from '../database/attributes.ts';
import { keyOf } from '../database/database.ts';
import { keys } from './keys.ts';

/** An item with who wrote it last, as it is stored. */
export interface ItemRecord {
  readonly item: Item;
  /** The stamp of the request that wrote it last. */
  readonly writeId: string;
  /** When that write was sent, in milliseconds since 1970, by that container's clock. */
  readonly writtenAt: number;
}

/** The attributes that say who wrote last. */
export const writeAttributes = (call: RequestContext, now: number) => ({
  written_by: call.user,
  written_stamp: call.writeId,
  written_at: now,
});

/** Records are parsed again when read: what another version or an operator's hand wrote is found here, not in an answer. */
const shape = z.object({
  id: z.int(),
  name: z.string(),
  type: z.enum(itemTypes),
  category: z.optional(z.int()),
  value: z.number(),
  qty: z.number(),
  unit: z.string(),
  description: z.optional(z.string()),
  active: z.boolean(),
  cost: z.number(),
  tax: z.number(),
  sku: z.optional(z.string()),
  pn: z.optional(z.string()),
  tag: z.optional(z.string()),
  metadata: z.custom<JsonObject>((value) => typeof value === 'object' && value !== null && !Array.isArray(value)),
  revision: z.int(),
  created_at: z.int(),
  written_stamp: z.string(),
  written_at: z.number(),
});

/** @throws an error on a record that is not an item's */
export function readItem(attributes: Attributes): ItemRecord {
  const { created_at, written_stamp, written_at, ...fields } = shape.parse(fromAttributes(attributes));
  return {
    item: {
      ...fields,
      category: fields.category ?? null,
      description: fields.description ?? null,
      sku: fields.sku ?? null,
      pn: fields.pn ?? null,
      tag: fields.tag ?? null,
      createdAt: created_at,
    },
    writeId: written_stamp,
    writtenAt: written_at,
  };
}

/** The record of a new item. Fields without a value are not stored. */
export function newItemRecord(call: RequestContext, { createdAt, ...item }: Item): Attributes {
  const valued = Object.fromEntries(Object.entries(item).filter(([, value]) => value !== null)) as JsonObject;
  return {
    ...keyOf(keys.item(call.account, item.id)),
    ...toAttributes({ ...valued, created_at: createdAt, ...writeAttributes(call, createdAt) }),
  };
}
