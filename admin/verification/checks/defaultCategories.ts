import { keys } from '../../../lib/store/records/keys.ts';
import type { Check } from '../check.ts';

interface DefaultFinding {
  readonly kind: 'default category unknown' | 'default category archived';
  readonly account: string;
  readonly category: number;
}

const advice = 'set another default with "account apply"';

/** Checks that each account's default category exists and is not archived. Keeps the open categories of each account. */
export const defaultCategories: Check<DefaultFinding, Pick<DefaultFinding, 'account'>> = {
  collect() {
    const open = new Set<string>();
    const defaults = new Map<string, string>();
    const categoryName = (account: string, category: number) => JSON.stringify([account, category]);
    return {
      add(record, key) {
        const { archived, default_category: byDefault } = record;
        if (key?.kind === 'category' && archived !== true) open.add(categoryName(key.account, key.id));
        if (key?.kind === 'account' && typeof byDefault === 'number')
          defaults.set(key.account, categoryName(key.account, byDefault));
      },
      suspects: () => [...defaults].filter(([, name]) => !open.has(name)).map(([account]) => ({ account })),
    };
  },

  /** The account is read before and after its category, because an operator may change both in between. */
  async recheck(records, { account }) {
    const read = async () => (await records.get(keys.account(account)))?.['default_category'];
    const byDefault = await read();
    if (typeof byDefault !== 'number') return undefined;
    const category = await records.get(keys.category(account, byDefault));
    if ((await read()) !== byDefault) return undefined;
    const finding = { account, category: byDefault };
    if (category === undefined) return { kind: 'default category unknown', ...finding };
    return category['archived'] === true ? { kind: 'default category archived', ...finding } : undefined;
  },

  kinds: {
    'default category unknown': { text: ({ category }) => `the default category ${category} does not exist`, advice },
    'default category archived': { text: ({ category }) => `the default category ${category} is archived`, advice },
  },
};
