import { awaitAll } from '../../../lib/catalog/awaitAll.ts';
import type { Key } from '../../../lib/store/database/record.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { keyIn } from '../../../lib/store/records/parseKey.ts';
import { type Check, quoted } from '../check.ts';

interface ReferenceFinding {
  readonly kind: 'unknown unit' | 'unknown category';
  readonly account: string;
  readonly value: string | number;
  /** Some of the items. */
  readonly items: readonly number[];
  /** The approximate number of such items. */
  readonly count: number;
}

/** Items that are reported for an unknown unit or category. */
const namedItems = 10;

/** Checks that the units and categories of items exist. Keeps the key of each, and a few of the items that use it. */
export const references: Check<ReferenceFinding> = {
  collect() {
    const known = new Set<string>();
    const used = new Map<string, ReferenceFinding & { readonly items: number[]; count: number }>();
    const use = (
      kind: ReferenceFinding['kind'],
      value: string | number,
      { account, id }: { account: string; id: number },
    ) => {
      const name = textOfKey(keyOf({ kind, account, value }));
      const reference = used.get(name) ?? { kind, account, value, items: [], count: 0 };
      used.set(name, reference);
      reference.count += 1;
      if (reference.items.length < namedItems) reference.items.push(id);
    };
    return {
      add(record, key) {
        if (key?.kind === 'unit' || key?.kind === 'category') known.add(textOfKey(keyIn(record)));
        if (key?.kind !== 'item') return;
        const { unit, category } = record;
        if (typeof unit === 'string') use('unknown unit', unit, key);
        if (typeof category === 'number') use('unknown category', category, key);
      },
      suspects: () => [...used].filter(([name]) => !known.has(name)).map(([, reference]) => reference),
    };
  },

  /** Deleted only with their account, units and categories that are missing now were missing when the item was read. */
  async recheck(records, { kind, account, value, items, count }) {
    const field = kind === 'unknown unit' ? 'unit' : 'category';
    const read = await awaitAll(items.map((id) => records.get(keys.item(account, id))));
    const naming = items.filter((_, index) => read[index]?.[field] === value);
    if (naming.length === 0 || (await records.get(keyOf({ kind, account, value }))) !== undefined) return undefined;
    const left = count - (items.length - naming.length);
    return { kind, account, value, items: naming.toSorted((a, b) => a - b), count: left };
  },

  kinds: {
    'unknown unit': {
      text: (finding) => `the unit ${quoted(String(finding.value))} of ${itemsText(finding)} does not exist`,
      advice: 'register the unit with "account apply", or update the items with another one',
    },
    'unknown category': {
      text: (finding) => `the category ${finding.value} of ${itemsText(finding)} does not exist`,
      advice: 'add the category under its id with "account apply", or update the items with another one',
    },
  },
};

const keyOf = ({ kind, account, value }: Omit<ReferenceFinding, 'items' | 'count'>): Key =>
  kind === 'unknown unit' ? keys.unit(account, String(value)) : keys.category(account, Number(value));

const textOfKey = ({ pk, sk }: Key): string => JSON.stringify([pk, sk]);

function itemsText({ items, count }: ReferenceFinding): string {
  if (count === 1) return `item ${items}`;
  return `${count} items (${items.join(', ')}${count > items.length ? ', …' : ''})`;
}
