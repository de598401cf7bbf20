import type { Finding } from '../../../lib/operator/verification/finding.ts';
import type { Repair } from '../../../lib/operator/verification/repair.ts';
import { findingText } from './findingText.ts';

const repairs: Partial<Record<Finding['kind'], string>> = {
  'guard missing': 'the guard was created',
  'guard orphaned': 'the guard was deleted',
  'guard mismatched': 'the guard now names the item that has it',
  'id above counter': 'the counter was raised to that id',
  'category above last': 'the id of the last category was raised to that id',
  'expiring record': 'its expires_at was removed',
  'idempotency record expiry': 'it now expires in 24 hours',
  'item not listed': 'it is now listed under that name',
};

/**
 * What a person should do about a remaining finding. A guard or counter only remains if a record makes its repair
 * impossible.
 */
const advice: Record<Finding['kind'], string> = {
  'guard missing': 'correct the unreadable item first',
  'guard orphaned': 'correct the unreadable item first',
  'guard mismatched': 'correct the unreadable item first',
  'duplicate identifier': 'decide which item keeps it, and update the others',
  'identifier unsettled': 'verify again when it changes less often',
  'id above counter': 'move or delete the item manually, since no counter can be raised to that id',
  'counter near its end': 'while no items are being created, set it manually to the highest item id',
  'category above last': 'move or delete the category manually, since its id is too high',
  'unknown unit': 'register the unit with "unit add", or update the items with another one',
  'unknown category': 'restore the category manually, or update the items with another one',
  'default category unknown': 'set another default with "defaults set"',
  'default category archived': 'set another default with "defaults set"',
  'token without entry': 'delete it manually if it should be revoked',
  'token without account': 'revoke it by the first 16 digits of its hash, or restore the account manually',
  'entry without token': 'revoke it, which removes it from the list',
  'token exceeds entry': 'revoke it by the first 16 digits of its hash, and issue another',
  'expiring record': 'remove its expires_at manually',
  'idempotency record expiry': 'delete it manually',
  'item not listed': 'verify again when it changes less often',
  'idempotency record without item': 'restore the item manually from its copy in the record, or delete the record',
  'idempotency record of another account': 'delete it manually, and find out who wrote it',
  'unreadable record': 'correct or delete it manually',
  'invalid values': 'correct it manually, or update the item with valid values',
};

/** Describes what was done about a finding. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${repairs[kind]}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing to do: it is consistent now.';
  const remains = repaired.length === 0 ? '' : ` ${findingText(remaining)}`;
  return [...done, `Left to you${remains === '' ? '' : ' now'}:${remains} ${advice[remaining.kind]}.`].join(' ');
}
