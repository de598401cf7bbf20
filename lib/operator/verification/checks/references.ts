import type { StoredRecord } from '../../../store/database/documentClient.ts';
import { keys } from '../../../store/records/keys.ts';
import type { RecordKind } from '../../../store/records/parseKey.ts';
import type { DefaultCategoryFinding, Records, ReferenceFinding } from '../finding.ts';
import type { ReferenceSuspect, Suspect } from '../suspect.ts';
import type { Check } from './check.ts';
import { getOrAdd } from './check.ts';

/** Maximum number of items reported for the same unknown unit or category. */
const namedItems = 10;

/** The items that use a unit or category. */
interface Use extends Pick<ReferenceSuspect, 'field' | 'value'> {
  readonly items: number[];
  count: number;
}

/** What has been read of one account. */
interface Configuration {
  readonly units: Set<string>;
  /** Whether each category is archived, by id. */
  readonly categories: Map<number, boolean>;
  readonly uses: Map<string, Use>;
  defaultCategory?: number;
}

/**
 * Checks that the units and categories used by items exist, and the account's default category too. Keeps the units and
 * categories of each account, and for each of those that items use, a few item ids.
 */
export class ReferenceCheck implements Check {
  readonly #accounts = new Map<string, Configuration>();

  add(kind: RecordKind, record: StoredRecord): void {
    if (kind.kind === 'unit') this.#of(kind.account).units.add(kind.code);
    if (kind.kind === 'category') this.#of(kind.account).categories.set(kind.id, record['archived'] === true);
    const byDefault = record['default_category'];
    if (kind.kind === 'account' && typeof byDefault === 'number') this.#of(kind.account).defaultCategory = byDefault;
    if (kind.kind === 'item') this.#addItem(kind, record);
  }

  #of(account: string): Configuration {
    return getOrAdd(this.#accounts, account, () => ({ units: new Set(), categories: new Map(), uses: new Map() }));
  }

  #addItem({ account, id }: { account: string; id: number }, record: StoredRecord): void {
    const { uses } = this.#of(account);
    for (const field of ['unit', 'category'] as const) {
      const value = record[field];
      if (typeof value !== (field === 'unit' ? 'string' : 'number')) continue;
      const named = value as string | number;
      const use = getOrAdd(uses, `${field} ${named}`, () => ({ field, value: named, items: [], count: 0 }));
      use.count += 1;
      if (use.items.length < namedItems) use.items.push(id);
    }
  }

  *suspects(): Generator<Suspect> {
    for (const [account, { units, categories, uses, defaultCategory }] of this.#accounts) {
      for (const use of uses.values()) {
        const isKnown = use.field === 'unit' ? units.has(String(use.value)) : categories.has(Number(use.value));
        if (!isKnown) yield { of: 'reference', account, ...use };
      }
      if (defaultCategory !== undefined && categories.get(defaultCategory) !== false)
        yield { of: 'default category', account };
    }
  }
}

/**
 * Units and categories are never deleted. So one that is missing after the item was read was also missing when the item
 * was read.
 */
export async function recheckReference(
  records: Records,
  { account, field, value, items, count }: ReferenceSuspect,
): Promise<ReferenceFinding | undefined> {
  const read = await Promise.all(items.map((id) => records.get(keys.item(account, id))));
  const naming = items.filter((_, index) => read[index]?.[field] === value);
  const key = field === 'unit' ? keys.unit(account, String(value)) : keys.category(account, Number(value));
  if (naming.length === 0 || (await records.get(key)) !== undefined) return undefined;
  return {
    kind: field === 'unit' ? 'unknown unit' : 'unknown category',
    account,
    value,
    items: naming.toSorted((a, b) => a - b),
    count: count - (items.length - naming.length),
  };
}

/** The account is read before and after its category, because an operator may change both in between. */
export async function recheckDefaultCategory(
  records: Records,
  account: string,
): Promise<DefaultCategoryFinding | undefined> {
  const read = async () => (await records.get(keys.account(account)))?.['default_category'];
  const byDefault = await read();
  if (typeof byDefault !== 'number') return undefined;
  const category = await records.get(keys.category(account, byDefault));
  if ((await read()) !== byDefault) return undefined;
  if (category === undefined) return { kind: 'default category unknown', account, category: byDefault };
  return category['archived'] === true
    ? { kind: 'default category archived', account, category: byDefault }
    : undefined;
}
