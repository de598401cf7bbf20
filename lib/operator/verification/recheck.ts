import { recheckCategoryIds } from './checks/categoryIds.ts';
import { recheckExpiry } from './checks/expiry.ts';
import { recheckIdempotencyRecord } from './checks/idempotencyRecords.ts';
import { recheckIdentifier } from './checks/identifiers.ts';
import { recheckCounter } from './checks/itemIds.ts';
import { recheckListPosition } from './checks/listPositions.ts';
import { recheckRecord } from './checks/records.ts';
import { recheckDefaultCategory, recheckReference } from './checks/references.ts';
import { recheckToken } from './checks/tokens.ts';
import type { Finding, Records } from './finding.ts';
import type { Suspect } from './suspect.ts';

/**
 * Rechecks a suspect from a scan. Every finding was true at one moment, even with concurrent writes.
 * @param now milliseconds since 1970
 * @returns undefined if nothing is wrong
 */
export function recheck(records: Records, suspect: Suspect, now: number): Promise<Finding | undefined> {
  switch (suspect.of) {
    case 'identifier':
      return recheckIdentifier(records, suspect);
    case 'counter':
      return recheckCounter(records, suspect);
    case 'category ids':
      return recheckCategoryIds(records, suspect);
    case 'reference':
      return recheckReference(records, suspect);
    case 'default category':
      return recheckDefaultCategory(records, suspect.account);
    case 'token':
      return recheckToken(records, suspect, now);
    case 'expiry':
      return recheckExpiry(records, suspect.key, now);
    case 'idempotency record':
      return recheckIdempotencyRecord(records, suspect.key, now);
    case 'list position':
      return recheckListPosition(records, suspect);
    case 'record':
      return recheckRecord(records, suspect.key);
  }
}
