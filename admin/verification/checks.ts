import type { Collector, FindingKind, Records } from './check.ts';
import { categoryIds, itemIds } from './checks/assignedIds.ts';
import { identifiers } from './checks/identifiers.ts';
import { listPositions } from './checks/listPositions.ts';
import { records } from './checks/records.ts';
import { tokens } from './checks/tokens.ts';

const all = [records, itemIds, identifiers, categoryIds, tokens, listPositions];

/** A violated invariant, as data. */
export type Finding = NonNullable<Awaited<ReturnType<(typeof all)[number]['recheck']>>>;

/** A check whose suspects are only ever given back to itself. */
interface AnyCheck {
  collect(): Collector<object>;
  recheck(records: Records, suspect: object, now: number): Promise<Finding | undefined>;
  readonly kinds: { readonly [kind: string]: FindingKind<Finding> };
}

export const checks: readonly AnyCheck[] = all;

type Rules = FindingKind<Finding> & { readonly check: AnyCheck };

/** What each kind of finding says and how it is repaired, with its check. */
export const kinds = Object.fromEntries(
  checks.flatMap((check) => Object.entries(check.kinds).map(([kind, rules]) => [kind, { ...rules, check }])),
) as Readonly<Record<Finding['kind'], Rules>>;
