import type {
  DefaultCategoryFinding,
  Finding,
  IdempotencyFinding,
  IdentifierFinding,
  ReferenceFinding,
  TokenExcess,
  TokenExcessFinding,
  TokenFinding,
} from '../../../lib/operator/verification/finding.ts';
import type { Key } from '../../../lib/store/records/keys.ts';

/**
 * Describes a finding in one sentence. Texts from the table are quoted as JSON, so that none can pose as another line
 * of output.
 */
export const findingText = (finding: Finding): string =>
  'key' in finding
    ? `The record ${keyText(finding.key)} ${recordText(finding)}.`
    : `Account ${quoted(finding.account)}: ${accountText(finding)}.`;

type WithKey = Extract<Finding, { key: Key }>;

function recordText(finding: WithKey): string {
  switch (finding.kind) {
    case 'unreadable record':
    case 'invalid values':
      return finding.problem;
    case 'expiring record':
      return 'has an expires_at, so DynamoDB would delete it';
    case 'idempotency record expiry':
      return 'never expires, or expires in more than 24 hours, and its key stays taken until then';
    default:
      return idempotencyText(finding);
  }
}

const idempotencyText = ({ kind, id }: IdempotencyFinding): string =>
  kind === 'idempotency record without item'
    ? `makes a retried create return item ${id}, which does not exist`
    : `makes a retried create return an item ${id} of another account`;

function accountText(finding: Exclude<Finding, WithKey>): string {
  switch (finding.kind) {
    case 'id above counter':
      return `item ${finding.highest} is above the id counter, which ${standing(finding.last)}`;
    case 'counter near its end':
      return `the id counter is at ${finding.last}, which creates cannot have reached and which is near its maximum`;
    case 'category above last':
      return `category ${finding.highest} is above the id of the last category, which ${standing(finding.last)}`;
    case 'item not listed':
      return `item ${finding.id} is not listed under its name ${quoted(finding.name)}`;
    case 'unknown unit':
    case 'unknown category':
      return referenceText(finding);
    case 'default category unknown':
    case 'default category archived':
      return defaultText(finding);
    case 'token without entry':
    case 'token without account':
    case 'entry without token':
    case 'token exceeds entry':
      return tokenText(finding);
    default:
      return identifierText(finding);
  }
}

const standing = (last: number | null): string => (last === null ? 'is missing' : `is at ${last}`);

function referenceText({ kind, value, items, count }: ReferenceFinding): string {
  const its = kind === 'unknown unit' ? `unit ${quoted(String(value))}` : `category ${value}`;
  if (count === 1) return `the ${its} of item ${items} does not exist`;
  const named = count > items.length ? [...items, '…'] : items;
  return `the ${its} of ${count} items (${named.join(', ')}) does not exist`;
}

const defaultText = ({ kind, category }: DefaultCategoryFinding): string =>
  `the default category ${category} ${kind === 'default category archived' ? 'is archived' : 'does not exist'}`;

function tokenText(finding: TokenFinding | TokenExcessFinding): string {
  const hash = quoted(finding.sha256);
  const token = `the token with the hash ${hash}`;
  switch (finding.kind) {
    case 'token without entry':
      return `${token} is not in the account's list`;
    case 'token without account':
      return `${token} is for this account, which does not exist`;
    case 'entry without token':
      return `the list has a token with the hash ${hash} that does not exist`;
    case 'token exceeds entry':
      return `${token} ${finding.excess.map((term) => excess[term]).join(', ')} its entry in the account's list shows`;
  }
}

const excess = {
  permissions: 'permits more than',
  expiry: 'expires later than',
  user: 'is for a different user than',
} as const satisfies Record<TokenExcess, string>;

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
      return `the ${its} changed too often to be checked`;
  }
}

const exists = (items: IdentifierFinding['items'], owner: number | null): boolean =>
  items.some(({ id, state }) => id === owner && state !== 'absent');

export const keyText = ({ pk, sk }: Key): string => `${quoted(pk)} / ${quoted(sk)}`;

export const quoted = (stored: string): string => JSON.stringify(stored);
