import { idempotencyKeyForm } from '../idempotencyKey.ts';
import { itemId, type Schema } from './schema.ts';

/** A strong entity tag in ASCII. The service knows the others too, but they match no revision. */
const tag = '"[!#-~]*"';

/**
 * Every parameter of every operation, by the name of its component. The optional ones have no example: pages that try the
 * operations would send it.
 */
export const parameters = {
  ItemId: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The id of the item.',
    schema: itemId,
    example: 1,
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the create safe to repeat: the same key with the same body answers the first 201 again. 1 to 255 visible ASCII characters, bare or in quotes; kept for 24 hours per account and user.',
    schema: { type: 'string', pattern: idempotencyKeyForm.source },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'The item’s last `ETag`: the update is done only if the item is still at that revision. `*`: any.',
    schema: { type: 'string', pattern: String.raw`^(\*|${tag}( *, *${tag})*)$` },
  },
} satisfies Readonly<Record<string, Schema>>;

export type ParameterName = keyof typeof parameters;
