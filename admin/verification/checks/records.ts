import { timeouts } from '../../../lib/catalog/timeouts.ts';
import type { Key, StoredRecord } from '../../../lib/store/database/record.ts';
import { lowerRevision } from '../../../lib/store/records/itemRecord.ts';
import { keyIn, parseKey } from '../../../lib/store/records/keys.ts';
import { problemOf } from '../../table/recordProblem.ts';
import { unusedNumber } from '../../table/unusedNumber.ts';
import { type Check, fromSingleRecords, highestCount, updating } from '../check.ts';

interface RecordFinding {
  readonly kind: 'unreadable record';
  readonly key: Key;
  /** Continues "The record …". Contains no text from callers. */
  readonly problem: string;
}

interface RevisionFinding {
  readonly kind: 'revision too high';
  readonly key: Key;
  readonly revision: number;
}

/** Checks that each record can be read, and that no revision is near its end. */
export const records: Check<RecordFinding | RevisionFinding, Pick<RecordFinding, 'key'>> = {
  collect: fromSingleRecords((record) => findingOf(record) && { key: keyIn(record) }),

  async recheck(stored, { key }) {
    const record = await stored.get(key);
    return record && findingOf(record);
  },

  kinds: {
    'unreadable record': { text: ({ problem }) => problem, advice: 'correct or delete it manually' },
    'revision too high': {
      text: ({ revision }) =>
        `has the revision ${revision}, which updates cannot have reached; above ${Number.MAX_SAFE_INTEGER} they fail`,
      // No item has been written as often as there were milliseconds since 1970.
      repair: updating('it now has a revision that no client has seen', ({ key }, now) =>
        lowerRevision(key, { highest: highestCount, to: unusedNumber(0, now), settled: now - longestRequest }),
      ),
      advice: 'verify again when it has not been updated for a minute',
    },
  },
};

/** How long a request can take, even if its container's clock is ahead, in milliseconds. */
const longestRequest = timeouts.function + timeouts.clockSkew;

function findingOf(record: StoredRecord): RecordFinding | RevisionFinding | undefined {
  const key = keyIn(record);
  const { revision } = record;
  if (typeof revision === 'number' && revision > highestCount && isItem({ ...record, revision: 1 }))
    return { kind: 'revision too high', key, revision };
  const problem = problemOf(record);
  return problem === undefined ? undefined : { kind: 'unreadable record', key, problem };
}

const isItem = (record: StoredRecord): boolean =>
  parseKey(keyIn(record))?.kind === 'item' && problemOf(record) === undefined;
