import { readItem } from '../../../lib/store/records/itemRecord.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { isListedUnder, listItem } from '../../../lib/store/records/listEntry.ts';
import { problemOf } from '../../table/recordProblem.ts';
import { type Check, fromSingleRecords, quoted, updating } from '../check.ts';

interface ListFinding {
  readonly kind: 'item not listed';
  readonly account: string;
  readonly id: number;
  readonly name: string;
  readonly revision: number;
}

/** Checks that every item is in its account's list under its name. Items written before the list existed are not. */
export const listPositions: Check<ListFinding, Pick<ListFinding, 'account' | 'id'>> = {
  collect: fromSingleRecords((record, key) => {
    const { name } = record;
    // An item without a name is unreadable, which is a separate finding.
    if (key?.kind !== 'item' || typeof name !== 'string') return undefined;
    const { account, id } = key;
    return isListedUnder(record, account, { id, name }) ? undefined : { account, id };
  }),

  async recheck(records, { account, id }) {
    const record = await records.get(keys.item(account, id));
    if (record === undefined || problemOf(record) !== undefined) return undefined;
    const { name, revision } = readItem(record).item;
    return isListedUnder(record, account, { id, name })
      ? undefined
      : { kind: 'item not listed', account, id, name, revision };
  },

  kinds: {
    'item not listed': {
      text: ({ id, name }) => `item ${id} is not listed under its name ${quoted(name)}`,
      repair: updating('it is now listed under that name', (finding) => listItem(finding.account, finding)),
      advice: 'verify again when it changes less often',
    },
  },
};
