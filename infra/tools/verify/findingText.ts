import type { Finding, IdentifierFinding } from '../../../lib/operator/verification/recheck.ts';
import type { Repair } from '../../../lib/operator/verification/repair.ts';

/** Describes a finding in one sentence. Texts from the table are quoted as JSON, so that none can imitate another line. */
export function findingText(finding: Finding): string {
  switch (finding.kind) {
    case 'id above counter':
      return `Account ${quoted(finding.account)}: item ${finding.highest} is above the id counter, ${
        finding.last === null ? 'which is missing' : `which is at ${finding.last}`
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

function identifierText({ kind, name, text, owner, items }: IdentifierFinding): string {
  const its = `${name} ${quoted(text)}`;
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier).map(({ id }) => id);
  switch (kind) {
    case 'guard missing':
      return `item ${holders} has the ${its} without a guard`;
    case 'guard orphaned':
      return `the guard of the ${its} names item ${owner}, which ${exists(items, owner) ? 'does not have it' : 'does not exist'}`;
    case 'guard mismatched':
      return `item ${holders} has the ${its}, but its guard names item ${owner}, which ${exists(items, owner) ? 'does not have it' : 'does not exist'}`;
    case 'duplicate identifier':
      return `the items ${holders.join(' and ')} have the same ${its}, and ${owner === null ? 'no guard names either of them' : `its guard names item ${owner}`}`;
    case 'identifier unsettled':
      return `the ${its} was written too often to be checked`;
  }
}

const exists = (items: IdentifierFinding['items'], owner: number | null): boolean =>
  items.some(({ id, state }) => id === owner && state !== 'absent');

const quoted = (stored: string): string => JSON.stringify(stored);

const repairs: Partial<Record<Finding['kind'], string>> = {
  'guard missing': 'the guard was created',
  'guard orphaned': 'the guard was deleted',
  'guard mismatched': 'the guard now names the item that has it',
  'id above counter': 'the counter was raised to that id',
};

const advice: Partial<Record<Finding['kind'], string>> = {
  'duplicate identifier': 'decide which item keeps it, and update the others',
  'identifier unsettled': 'verify again when it is written less often',
  'unreadable record': 'correct or delete it manually',
  'token without entry': 'delete it manually if it should be revoked',
  'entry without token': 'revoke it, which removes it from the list',
};

/** Describes in sentences what was done about a finding. */
export function repairText({ repaired, remaining }: Repair): string {
  const done = repaired.map(({ kind }) => `Repaired: ${repairs[kind]}.`);
  if (remaining === undefined) return done.join(' ') || 'Nothing to do: it is consistent by now.';
  const remains = repaired.length === 0 ? '' : ` ${findingText(remaining)}`;
  return [
    ...done,
    `Left to you${remains === '' ? '' : ' now'}:${remains} ${advice[remaining.kind] ?? 'it concerns an unreadable item'}.`,
  ].join(' ');
}
