import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { readAccount } from '../../../store/records/accountRecord.ts';
import { keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { CategoryIdFinding, Records } from '../finding.ts';
import type { HighestSuspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { problemOf } from './recordProblem.ts';

/**
 * Checks that each account's last category id is at least the highest id in use, because the next category gets the id
 * after it.
 */
export class CategoryIdCheck implements Check {
  readonly #highest = new Map<string, number>();
  readonly #last = new Map<string, number>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'category' && Number.isSafeInteger(kind.id))
      this.#highest.set(kind.account, Math.max(kind.id, this.#highest.get(kind.account) ?? 0));
    if (kind.kind === 'account') this.#last.set(kind.account, Number(record['last_category'] ?? 0));
  }

  *suspects(): Generator<HighestSuspect<'category ids'>> {
    for (const [account, highest] of this.#highest)
      if (!(highest <= (this.#last.get(account) ?? 0))) yield { of: 'category ids', account, highest };
  }
}

/**
 * The account's last id is raised before a category uses it, and never lowered. So a category id that is above it now
 * was also above it before.
 */
export async function recheckCategoryIds(
  records: Records,
  { account, highest }: HighestSuspect<'category ids'>,
): Promise<CategoryIdFinding | undefined> {
  const record = await records.get(keys.account(account));
  // An unreadable account is a separate finding.
  if (record === undefined || problemOf(record) !== undefined) return undefined;
  const { last_category: last } = readAccount(record);
  return (last ?? 0) < highest ? { kind: 'category above last', account, highest, last: last ?? null } : undefined;
}
