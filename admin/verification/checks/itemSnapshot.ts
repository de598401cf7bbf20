import type { Identifier } from '../../../lib/catalog/catalogStore.ts';
import { equals, expressions, isAbsent } from '../../../lib/store/database/expressions.ts';
import type { TransactItem } from '../../../lib/store/database/writes.ts';
import { keys } from '../../../lib/store/records/keys.ts';
import { problemOf } from '../../table/recordProblem.ts';
import type { Records } from '../check.ts';

/** An item as it was when its identifier was checked. */
export interface ItemSnapshot {
  readonly id: number;
  readonly state: 'readable' | 'unreadable' | 'absent';
  readonly revision: number;
  readonly hasIdentifier: boolean;
}

export async function readItemSnapshot(
  records: Records,
  { account, name, text }: Identifier & { readonly account: string },
  id: number,
): Promise<ItemSnapshot> {
  const record = await records.get(keys.item(account, id));
  if (record === undefined) return { id, state: 'absent', revision: 0, hasIdentifier: false };
  return {
    id,
    state: problemOf(record) === undefined ? 'readable' : 'unreadable',
    revision: Number(record['revision']),
    hasIdentifier: record[name] === text,
  };
}

/** Requires in a transaction that an item is still as it was. */
export const requireUnchanged = (account: string, { id, state, revision }: ItemSnapshot): TransactItem => ({
  ConditionCheck: {
    Key: keys.item(account, id),
    ...expressions((use) => ({
      ConditionExpression: state === 'absent' ? isAbsent(use) : equals(use, 'revision', revision),
    })),
  },
});
