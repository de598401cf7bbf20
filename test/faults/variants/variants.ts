import type { Variant } from '../process.ts';
import {
  believedRefusal,
  blindRepetition,
  lookUpWithoutFence,
  noRevision,
  noUnitCondition,
  takenFirst,
} from './dynamoRequests.ts';

const noRecord: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, insertItem: (fields) => store.insertItem(fields) };
  },
};

const noUpdateKeys: Variant = {
  catalog: (open) => (context) => {
    const store = open(context);
    return { ...store, modifyItem: ({ key: _key, ...modification }) => store.modifyItem(modification) };
  },
};

/** Stores that are wrong in one way each. The checker must catch every one of them. */
export const variants = {
  'a plain update is repeated blindly': blindRepetition,
  'no idempotency record': noRecord,
  'the keys of updates are ignored': noUpdateKeys,
  'a quantity without the condition on the unit': noUnitCondition,
  'identifiers change regardless of the stored ones': noRevision,
  '"taken" is answered before conflicts are checked': takenFirst,
  'a lost response is resolved without a fence': lookUpWithoutFence,
  'a refusal after a lost response is trusted': believedRefusal,
} satisfies Readonly<Record<string, Variant>>;
