import type { Variant } from '../process.ts';
import { keptFailure, metadataReadModifyWrite, noRecord, recordAfterwards, requiredCategoryName } from './catalogs.ts';
import {
  anybodysWrite,
  believedRefusal,
  blindRepetition,
  guardWithoutOwner,
  lookUpWithoutFence,
  newTokens,
  noMargin,
  noRevision,
  noUnitCondition,
  takenFirst,
} from './messages.ts';

/** Stores that are wrong in one way each. The checker must object to every one of them. */
export const variants: Readonly<Record<string, Variant>> = {
  'a plain update is repeated blindly': blindRepetition,
  'each try of a transaction has a new token and stamp': newTokens,
  'no idempotency record': noRecord,
  'the idempotency record is written after the effect': recordAfterwards,
  'metadata by read, modify, write': metadataReadModifyWrite,
  'a quantity without the condition on the unit': noUnitCondition,
  'a guard is deleted whoever owns it': guardWithoutOwner,
  'codes change whatever the revision': noRevision,
  'an unknown outcome is judged without a margin for clocks': noMargin,
  'an update under a revision is repeated whoever wrote last': anybodysWrite,
  '"taken" is answered before conflicts are looked at': takenFirst,
  'a lost answer is looked up without a fence': lookUpWithoutFence,
  'a refusal after a lost answer is believed': believedRefusal,
};

/** As wrong, but only seldom in random histories: each has an arranged one. */
export const arrangedVariants = {
  'the name of the category is required': requiredCategoryName,
  'a failed lease is kept': keptFailure,
} as const satisfies Readonly<Record<string, Variant>>;
