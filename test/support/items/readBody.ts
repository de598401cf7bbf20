import type { Account } from '../../../lib/item/account.ts';
import type { ItemFields } from '../../../lib/item/fields.ts';
import type { ItemChange } from '../../../lib/item/item.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import {
  itemChange,
  newItemFields,
  parseBody,
  unavailableReferences,
  unknownReferences,
} from '../../../lib/item/readBody.ts';

/** A create's body as the use case reads it, with an account that is current. */
export function readCreate(body: JsonObject, account: Account): ItemFields {
  const parsed = parseBody(body);
  return newItemFields(parsed, unavailableReferences(parsed, account), account);
}

/** An update's body as the use case reads it, with an account that is current. */
export function readUpdate(body: JsonObject, account: Account): ItemChange {
  const parsed = parseBody(body);
  return itemChange(parsed, unknownReferences(parsed, account), account);
}
