import type { RecordUpdate } from '../../../lib/store/database/writes.ts';
import { raiseLastCategory, readAccount } from '../../../lib/store/records/accountRecord.ts';
import { lastIn, raiseCounter } from '../../../lib/store/records/counterRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { problemOf } from '../../table/recordProblem.ts';
import { type Check, type Collector, type FindingRepair, highestCount, updating } from '../check.ts';

interface IdSuspect {
  readonly account: string;
  /** The highest id in use; 0 if there is none. */
  readonly highest: number;
}

interface IdFinding<Kind> extends IdSuspect {
  readonly kind: Kind;
  /** The last id that was assigned; null if it is not stored. */
  readonly last: number | null;
}

/** Checks that no item id is above its account's counter. */
export const itemIds: Check<IdFinding<'id above counter'>, IdSuspect> = {
  collect: highestIds((record, key) => {
    if (key?.kind === 'item') return { account: key.account, used: key.id };
    return key?.kind === 'counter' ? { account: key.account, last: lastIn(record) ?? 0 } : undefined;
  }),

  /** Ids are leased before they are used, and never returned: one that is above the counter now was so before, too. */
  async recheck(records, { account, highest }) {
    const counter = await records.get(keys.counter(account));
    const last = counter === undefined ? null : lastIn(counter);
    // An unreadable counter is a separate finding.
    if (last === undefined) return undefined;
    return highest > (last ?? 0) ? { kind: 'id above counter', account, highest, last } : undefined;
  },

  kinds: {
    'id above counter': {
      text: ({ highest, last }) => `item ${highest} is above the id counter, which ${standing(last)}`,
      repair: raising('the counter', raiseCounter),
      advice: 'move or delete the item manually, since no counter can be raised to that id',
    },
  },
};

/** Checks that no category id is above the account's last one, because the next category gets the id after that. */
export const categoryIds: Check<IdFinding<'category above last'>, IdSuspect> = {
  collect: highestIds((record, key) => {
    if (key?.kind === 'account') return { account: key.account, last: Number(record['last_category'] ?? 0) };
    const isCategory = key?.kind === 'category' && Number.isSafeInteger(key.id);
    return isCategory ? { account: key.account, used: key.id } : undefined;
  }),

  /** The last id is raised before a category uses it, and never lowered: an id above it now was so before, too. */
  async recheck(records, { account, highest }) {
    const record = await records.get(keys.account(account));
    // An unreadable account is a separate finding.
    if (record === undefined || problemOf(record) !== undefined) return undefined;
    const last = readAccount(record).last_category ?? null;
    return highest > (last ?? 0) ? { kind: 'category above last', account, highest, last } : undefined;
  },

  kinds: {
    'category above last': {
      text: ({ highest, last }) => `category ${highest} is above the id of the last category, which ${standing(last)}`,
      repair: raising('the id of the last category', raiseLastCategory),
      advice: 'move or delete the category manually, since its id is too high',
    },
  },
};

type Seen = { readonly account: string; readonly used?: number; readonly last?: number };

function highestIds(seenIn: (...scanned: Parameters<Collector<IdSuspect>['add']>) => Seen | undefined) {
  return (): Collector<IdSuspect> => {
    const accounts = new Map<string, { highest: number; last: number }>();
    return {
      add(...scanned) {
        const { account, used = 0, last = 0 } = seenIn(...scanned) ?? {};
        if (account === undefined) return;
        const ids = accounts.get(account) ?? { highest: 0, last: 0 };
        accounts.set(account, ids);
        ids.highest = Math.max(ids.highest, used);
        ids.last = Math.max(ids.last, last);
      },
      suspects: () =>
        [...accounts]
          .filter(([, { highest, last }]) => highest > last)
          .map(([account, { highest }]) => ({ account, highest })),
    };
  };
}

function raising(what: string, raise: (account: string, id: number) => RecordUpdate): FindingRepair<IdSuspect> {
  const isAssignable = ({ highest }: IdSuspect) => highest <= highestCount;
  return updating(`${what} was raised to that id`, ({ account, highest }) => raise(account, highest), isAssignable);
}

function standing(last: number | null): string {
  return last === null ? 'is missing' : `is at ${last}`;
}
