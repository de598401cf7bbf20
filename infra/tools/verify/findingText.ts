import type { Finding, IdentifierFinding } from '../../../lib/operator/verification/recheck.ts';
import type { Repair } from '../../../lib/operator/verification/repair.ts';

/** What is wrong, in one sentence. Texts from the table are quoted as JSON, so that none can pass for another line. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'id above counter':
      return `Account ${quoted(finding.account)}: item ${finding.highest} is above the id counter, ${
        finding.last === null ? 'which is missing' : `which stands at ${finding.last}`
      }.`;
    case 'unreadable record':
      return `The record ${quoted(finding.key.pk)} / ${quoted(finding.key.sk)} ${finding.problem}.`;
    case 'token without entry':
      return `Account ${quoted(finding.account)}: the token with the hash ${quoted(finding.sha256)} is not in the account's list.`;
    case 'entry without token':
      return `Account ${quoted(finding.account)}: the list has a token with the hash ${quoted(finding.sha256)} that does not exist.`;
    default:
      return `Account ${quoted(finding.account)}: ${identifierText(finding)}.`;
  }
}

function identifierText({ kind, name, text: identifier, owner, items }: IdentifierFinding): string {
  const its = `${name} ${quoted(identifier)}`;
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier).map(({ id }) => id);
  switch (kind) {
    case 'guard missing':
      return `item ${holders} has the ${its} without a guard`;
    case 'guard orphaned':
      return `the guard of the ${its} names item ${owner}, which ${isThere(items, owner) ? 'has not that code' : 'does not exist'}`;
    case 'guard mismatched':
      return `item ${holders} has the ${its}, but its guard names item ${owner}, which ${isThere(items, owner) ? 'has it not' : 'does not exist'}`;
    case 'duplicate identifier':
      return `the items ${holders.join(' and ')} have the same ${its}, and ${owner === null ? 'no guard names one of them' : `its guard names item ${owner}`}`;
    case 'identifier unsettled':
      return `the ${its} was written too often to be judged`;
  }
}

const isThere = (items: IdentifierFinding['items'], owner: number | null): boolean =>
  items.some(({ id, state }) => id === owner && state !== 'absent');

const quoted = (stored: string): string => JSON.stringify(stored);

const deeds: Partial<Record<Finding['kind'], string>> = {
  'guard missing': 'the guard was put',
  'guard orphaned': 'the guard was deleted',
  'guard mismatched': 'the guard now names the item that has the code',
  'id above counter': 'the counter was raised to that id',
};

const advice: Partial<Record<Finding['kind'], string>> = {
  'duplicate identifier': 'decide which item keeps the code, and update the others',
  'identifier unsettled': 'verify again when it is written less',
  'unreadable record': 'correct or delete it by hand',
  'token without entry': 'delete it by hand if it should be revoked',
  'entry without token': 'revoke it, which removes it from the list',
};

/** What was done about a finding, in sentences. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${deeds[kind]}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing was done: it is right by now.';
  const remains = repaired.length === 0 ? '' : ` ${findingText(remaining)}`;
  return [
    ...done,
    `Left to you${remains === '' ? '' : ' now'}:${remains} ${advice[remaining.kind] ?? 'an unreadable item is concerned'}.`,
  ].join(' ');
}
