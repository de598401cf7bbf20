import { highestCounter } from './checks/itemIds.ts';
import type {
  CategoryIdFinding,
  CounterFinding,
  ExpiryFinding,
  Finding,
  IdentifierFinding,
  ListFinding,
} from './finding.ts';
import type { Suspect } from './suspect.ts';

export type RepairableFinding =
  | IdentifierFinding
  | (CounterFinding & { readonly kind: 'id above counter' })
  | CategoryIdFinding
  | ExpiryFinding
  | ListFinding;

/**
 * Whether a finding can be repaired automatically. A person must decide which of two items keeps an identifier, what an
 * unreadable record was supposed to contain, and how many decimals a lost unit had.
 */
export function isRepairable(finding: Finding): finding is RepairableFinding {
  switch (finding.kind) {
    case 'guard missing':
    case 'guard orphaned':
    case 'guard mismatched':
      return finding.items.every(({ state }) => state !== 'unreadable');
    case 'id above counter':
    case 'category above last':
      return finding.highest <= highestCounter;
    case 'expiring record':
    case 'idempotency record expiry':
    case 'item not listed':
      return true;
    default:
      return false;
  }
}

/** The suspect to recheck after a repair. */
export function suspectOf(finding: RepairableFinding): Suspect {
  switch (finding.kind) {
    case 'id above counter':
      return { of: 'counter', account: finding.account, highest: finding.highest };
    case 'category above last':
      return { of: 'category ids', account: finding.account, highest: finding.highest };
    case 'expiring record':
    case 'idempotency record expiry':
      return { of: 'expiry', key: finding.key };
    case 'item not listed':
      return { of: 'list position', account: finding.account, id: finding.id };
    default: {
      const { account, name, text, items } = finding;
      return { of: 'identifier', account, name, text, items: items.map(({ id }) => id) };
    }
  }
}
