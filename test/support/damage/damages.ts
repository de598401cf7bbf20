import type { Finding } from '../../../admin/verification/verifyTable.ts';
import { permissions } from '../../../lib/access/caller.ts';
import { limits } from '../../../lib/item/limits.ts';
import { newCategoryRecord, newUnitRecord } from '../../../lib/store/records/accountRecord.ts';
import { counter, guard, item, put } from '../table/storedRecords.ts';
import { accountRecord, codeFinding, type Damage, ids, second, tokenPair } from './damageRecords.ts';
import { repairableDamages } from './repairableDamages.ts';
import { unrepairableDamages } from './unrepairableDamages.ts';

/** Records that look odd but are no finding. */
const harmless: Damage[] = [
  {
    name: 'names and codes that are refused today',
    writes: (account) => [
      put(item(account, 10, { name: '\u200b', sku: 'A\u202eB' })),
      put(guard(account, 'sku', 'A\u202eB', 10)),
    ],
    found: [],
  },
  {
    name: 'numbers at their bounds',
    writes: (account) => [
      put(item(account, 10, { value: limits.value.max, cost: 0, tax: limits.tax.max, qty: limits.qty.max })),
      put(item(account, 20, { revision: 2 ** 52 - 1 })),
      put(counter(account, 2 ** 52 - 1)),
      put(newUnitRecord(account, 'kg', 4)),
    ],
    found: [],
  },
  {
    name: 'a token that permits less and ends earlier than its entry, or names its permissions in another order',
    writes: (account) => [
      ...tokenPair(account, { permissions: [], expires_at: second + 60 }),
      ...tokenPair(account, { permissions: [...permissions] }, { permissions: permissions.toReversed() }),
    ],
    found: [],
  },
  {
    name: 'a token that permits more, has no entry or no account, or an entry without its token, but has ended',
    writes: (account) => [
      ...tokenPair(account, { expires_at: second - 1 }).slice(0, 1),
      ...tokenPair(account, {}, { expires_at: second - 1 }).slice(1),
      ...tokenPair(account, { permissions: [...permissions], expires_at: second - 1 }),
      ...tokenPair(`${account}-gone`, { expires_at: second - 1 }, { expires_at: second - 1 }),
    ],
    found: [],
  },
  {
    name: 'an archived category of an item, and category ids with gaps',
    writes: (account) => [
      put({ ...newCategoryRecord(account, 2, 'Furniture'), archived: true }),
      put(item(account, 10, { category: 2, metadata: Object.fromEntries(ids(1, 100).map((id) => [id, id])) })),
      put({ ...accountRecord(account), last_category: 9 }),
    ],
    found: [],
  },
];

export const damages: readonly Damage[] = [...repairableDamages, ...unrepairableDamages, ...harmless];

/** The same with its kind first, as in the lists of damages. */
const inOrder = ({ kind, ...others }: { kind: string; [name: string]: unknown }) => ({ kind, ...others });

/** A finding without the parts that differ between tables. */
export function essence(finding: Finding): unknown {
  const { account: _account, sha256: _sha256, key: _key, ...own } = { account: '', sha256: '', key: '', ...finding };
  if (!('items' in finding)) return inOrder(own);
  const { kind, name, text, owner, items } = finding;
  const holders = items.filter(({ hasIdentifier }) => hasIdentifier).map(({ id }) => id);
  return codeFinding(
    kind,
    name,
    text,
    owner,
    holders.sort((a, b) => a - b),
  );
}

/** Findings in any order, as texts that a failing test can show. */
export const sorted = (findings: readonly unknown[]): string[] =>
  findings.map((finding) => JSON.stringify(finding)).sort();
