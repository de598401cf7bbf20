import type { Variant } from '../process.ts';
import * as dynamoRequests from './dynamoRequests.ts';

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
  'a plain update is repeated blindly': dynamoRequests.blindRepetition,
  'no idempotency record': noRecord,
  'the keys of updates are ignored': noUpdateKeys,
  'a quantity without the condition on the unit': dynamoRequests.noUnitCondition,
  'identifiers change regardless of the stored ones': dynamoRequests.noRevision,
  '"taken" is answered before conflicts are checked': dynamoRequests.takenFirst,
  'a lost response is resolved without a fence': dynamoRequests.lookUpWithoutFence,
  'a refusal after a lost response is trusted': dynamoRequests.believedRefusal,
} satisfies Readonly<Record<string, Variant>>;
