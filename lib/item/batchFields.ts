import * as z from 'zod/mini';
import { identifierNames } from './fields.ts';
import type { Json } from './json.ts';
import { limits } from './limits.ts';
import { violation } from './violation.ts';

const { min, max } = limits.rows;
const rowsReason = `must be a list of ${min} to ${max} rows`;

/** Also the reason to reject a list of keys with a duplicate, or of another length than the rows. */
export const keysReason = 'must have null or an own key of 1 to 255 visible ASCII characters for each row';

export const ownKeyForm = /^[\x21-\x7e]{1,255}$/;

const create = z.boolean('must be true or false');
const keys = z.array(z.nullable(z.string(keysReason).check(z.regex(ownKeyForm, keysReason))), keysReason);
const matchReason = `must be ${identifierNames.join(' or ')}, or an object of field, create, keys and unchanged`;
const field = z.enum(identifierNames, matchReason);
const matchFields = {
  field: z.optional(field),
  create: z.optional(create),
  keys: z.optional(keys),
  unchanged: z.optional(z.literal('skip')),
};

/** What the members of a batch accept. A version that does not know a member of `match` rejects the whole batch. */
export const batchFields = {
  rows: z.array(z.custom<Json>(), rowsReason).check(
    z.refine((rows) => rows.length >= min, violation({ reason: rowsReason, rule: 'required' })),
    z.refine((rows) => rows.length <= max, violation({ reason: rowsReason, rule: 'max_items', limit: max })),
  ),
  match: z.union([field, z.strictObject(matchFields, matchReason)], matchReason),
  create,
  keys,
  dry_run: z.boolean('must be true or false'),
};

export type BatchMembers = { readonly [Name in keyof typeof batchFields]?: z.output<(typeof batchFields)[Name]> };

const positive = (reason: string) => z.number(reason).check(z.int(reason), z.gte(1, reason));

/** What a row's members accept that name the item to update. */
export const rowTarget = {
  id: positive('must be the id of an item'),
  revision: positive('must be a revision of the item'),
};
