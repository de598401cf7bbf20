import type { Variant } from '../process.ts';
import { metadataReadModifyWrite, noRecord, noUpdateKeys, recordAfterwards } from './catalogs.ts';
import {
  anybodysWrite,
  believedRefusal,
  blindRepetition,
  lookUpWithoutFence,
  newTokens,
  noMargin,
  noRevision,
  noUnitCondition,
  takenFirst,
} from './dynamoRequests.ts';

/** Stores that are wrong in one way each. The checker must catch every one of them. */
export const variants = {
  'a plain update is repeated blindly': blindRepetition,
  'each attempt at a transaction has a new token and write id': newTokens,
  'no idempotency record': noRecord,
  'the keys of updates are ignored': noUpdateKeys,
  'the idempotency record is written after the effect': recordAfterwards,
  'metadata by read, modify, write': metadataReadModifyWrite,
  'a quantity without the condition on the unit': noUnitCondition,
  'identifiers change regardless of the stored ones': noRevision,
  'an unknown outcome is resolved without a margin for clock skew': noMargin,
  'an update at a revision is repeated regardless of the last writer': anybodysWrite,
  '"taken" is answered before conflicts are checked': takenFirst,
  'a lost response is resolved without a fence': lookUpWithoutFence,
  'a refusal after a lost response is trusted': believedRefusal,
} satisfies Readonly<Record<string, Variant>>;
