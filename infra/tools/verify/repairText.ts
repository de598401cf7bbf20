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
  'endless idempotency record': 'it now ends in 24 hours',
  'item not listed': 'it is listed there',
};

/** What a person should do about what is left. A guard or counter is only left when the record itself forbids its repair. */
const advice: Record<Finding['kind'], string> = {
  'guard missing': 'correct the unreadable item first',
  'guard orphaned': 'correct the unreadable item first',
  'guard mismatched': 'correct the unreadable item first',
  'duplicate identifier': 'decide which item keeps it, and update the others',
  'identifier unsettled': 'verify again when it is written less often',
  'id above counter': 'move or delete the item manually, since no counter can be raised to that id',
  'counter near its end': 'while nobody creates, set it manually to the highest id of an item',
  'category above last': 'move or delete the category manually, since its id is too high',
  'unknown unit': 'register the unit with "unit add", or update the items with another one',
  'unknown category': 'put the category back manually, or update the items with another one',
  'default category unknown': 'set another default with "defaults set"',
  'default category archived': 'set another default with "defaults set"',
  'token without entry': 'delete it manually if it should be revoked',
  'token without account': 'revoke it by the first 16 digits of its hash, or put the account back manually',
  'entry without token': 'revoke it, which removes it from the list',
  'token beyond entry': 'revoke it by the first 16 digits of its hash, and issue another',
  'expiring record': 'remove its expires_at manually',
  'endless idempotency record': 'delete it manually',
  'item not listed': 'verify again when it is written less often',
  'idempotency record without item': 'put the item back manually from its copy in the record, or delete the record',
  'idempotency record of another account': 'delete it manually, and find out who wrote it',
  'unreadable record': 'correct or delete it manually',
  'invalid values': 'correct it manually, or update the item with valid values',
};

/** Describes in sentences what was done about a finding. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${repairs[kind]}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing to do: it is consistent by now.';
  const remains = repaired.length === 0 ? '' : ` ${findingText(remaining)}`;
  return [...done, `Left to you${remains === '' ? '' : ' now'}:${remains} ${advice[remaining.kind]}.`].join(' ');
}
