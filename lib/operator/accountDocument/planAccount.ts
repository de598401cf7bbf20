import type { Account } from '../../item/account.ts';
import { initialUnits } from '../../item/account.ts';
import type { AccountDocument, DocumentProblem } from './accountDocument.ts';
import { at, DocumentError } from './accountDocument.ts';

interface Category {
  readonly name: string;
  readonly archived: boolean;
}

interface Defaults {
  readonly category: number | null;
  readonly tax: number;
}

/** One change to an account. */
export type Change =
  | { readonly change: 'open account' }
  | { readonly change: 'add unit'; readonly unit: string; readonly decimals: number }
  | ({ readonly change: 'add category'; readonly id: number } & Category)
  | { readonly change: 'change category'; readonly id: number; readonly from: Category; readonly to: Category }
  | { readonly change: 'set defaults'; readonly from: Defaults; readonly to: Defaults };

export interface Plan {
  /** In an order in which they can also be made one after the other. */
  readonly changes: readonly Change[];
  /** What the account has and the document leaves out, which stays as it is. */
  readonly kept: Kept;
}

interface Kept {
  readonly categories: readonly number[];
  readonly units: readonly string[];
  readonly defaults: readonly ('defaultCategory' | 'defaultTax')[];
}

/** An account as it was read. */
export interface SeenAccount {
  /** Undefined if it is not open. */
  readonly account: Account | undefined;
  /** The last category id that was assigned, if that is known. */
  readonly lastCategory: number | undefined;
}

type Place = readonly PropertyKey[];

/**
 * Compares a document with an account.
 * @throws DocumentError `IMPOSSIBLE_CHANGE` with everything that cannot be done
 */
export function planAccount(document: AccountDocument, { account, lastCategory }: SeenAccount): Plan {
  const wrong: DocumentProblem[] = [];
  const refuse = (path: Place, reason: string): void => void wrong.push(at(path, reason));
  const registered = account?.units ?? initialUnits;
  const units = planUnits(document, registered, refuse);
  const before = account?.categories ?? new Map<number, Category>();
  const categories = planCategories(document, before, lastCategory, refuse);
  const from = { category: account?.defaultCategory ?? null, tax: account?.defaultTax ?? 0 };
  const to = {
    category: defaultCategory(document, from.category, categories, refuse),
    tax: document.defaultTax ?? from.tax,
  };
  if (wrong.length > 0) throw new DocumentError('IMPOSSIBLE_CHANGE', wrong);
  const isSame = from.category === to.category && from.tax === to.tax;
  const changes: Change[] = [
    ...(account === undefined ? [{ change: 'open account' } as const] : []),
    ...units,
    ...categories.changes,
    ...(isSame ? [] : [{ change: 'set defaults', from, to } as const]),
  ];
  const named = new Set(document.units?.map(({ unit }) => unit));
  return {
    changes: changes.sort((a, b) => rank(a) - rank(b)),
    kept: {
      categories: [...before.keys()].filter((id) => !categories.named.has(id)),
      units: [...registered.keys()].filter((unit) => !named.has(unit)),
      defaults: (['defaultCategory', 'defaultTax'] as const).filter((name) => document[name] === undefined),
    },
  };
}

/** A category is archived last, because it may be the default until then. */
const rank = ({ change, ...rest }: Change): number => {
  if (change === 'open account') return 0;
  if (change === 'set defaults') return 2;
  return change === 'change category' && 'to' in rest && 'archived' in rest.to && rest.to.archived ? 3 : 1;
};

type Refuse = (path: Place, reason: string) => void;

function planUnits({ units = [] }: AccountDocument, registered: Account['units'], refuse: Refuse): Change[] {
  const added = new Map<string, number>();
  for (const [index, { unit, decimals }] of units.entries()) {
    const known = registered.get(unit) ?? added.get(unit);
    if (known === undefined) added.set(unit, decimals);
    else if (known !== decimals)
      refuse(['units', index, 'decimals'], `cannot be changed: the unit ${unit} has ${known}`);
  }
  return [...added].map(([unit, decimals]) => ({ change: 'add unit', unit, decimals }));
}

interface CategoryPlan {
  readonly changes: readonly Change[];
  /** The categories as they will be. */
  readonly after: ReadonlyMap<number, Category>;
  /** The document's categories by their ids in the account, in its order. */
  readonly named: ReadonlyMap<number, NonNullable<AccountDocument['categories']>[number]>;
}

function planCategories(
  { categories: rows = [] }: AccountDocument,
  before: Account['categories'],
  lastCategory: number | undefined,
  refuse: Refuse,
): CategoryPlan {
  const changes: Change[] = [];
  const after = new Map(before);
  const named = new Map<number, (typeof rows)[number]>();
  const byId = new Set(rows.flatMap(({ id }) => (id !== undefined && before.has(id) ? [id] : [])));
  let last = Math.max(lastCategory ?? 0, ...before.keys(), ...rows.map(({ id = 0 }) => id));
  for (const [index, row] of rows.entries()) {
    const found = row.id !== undefined && before.has(row.id) ? [row.id] : idsOf(row.name, before, byId);
    if (found.length > 1) refuse(['categories', index], `needs its id: the account has ${found.length} of this name`);
    const id = found[0] ?? row.id ?? ++last;
    if (named.has(id)) refuse(['categories', index], `is the same category as another one in the document (${id})`);
    named.set(id, row);
    const from = before.get(id);
    const to = { name: row.name, archived: row.archived ?? from?.archived ?? false };
    after.set(id, to);
    if (from === undefined) changes.push({ change: 'add category', id, ...to });
    else if (from.name !== to.name || from.archived !== to.archived)
      changes.push({ change: 'change category', id, from, to });
  }
  return { changes, after, named };
}

/** The categories with a name, except those that the document names by their ids. */
const idsOf = (name: string, categories: Account['categories'], except: ReadonlySet<number>): number[] =>
  [...categories].flatMap(([id, category]) => (category.name === name && !except.has(id) ? [id] : []));

function defaultCategory(
  { defaultCategory: wanted }: AccountDocument,
  current: number | null,
  { after, named }: CategoryPlan,
  refuse: Refuse,
): number | null {
  const ids = wanted === undefined ? [current] : idsOfReference(wanted, after, named);
  const [id = null] = ids;
  if (ids.length > 1) refuse(['defaultCategory'], `must be an id: ${ids.length} categories have this name`);
  else if (ids.length === 0) refuse(['defaultCategory'], 'is not a category of this account');
  // A default that was archived by hand stays as it is, unless the document is about it.
  else if (id !== null && after.get(id)?.archived === true && (wanted !== undefined || named.has(id)))
    refuse(['defaultCategory'], `must be another one, because category ${id} is archived`);
  return id;
}

/** The document's own categories come first. */
function idsOfReference(
  wanted: number | string | null,
  after: CategoryPlan['after'],
  named: CategoryPlan['named'],
): (number | null)[] {
  if (wanted === null) return [null];
  const own = [...named].filter(([, row]) => (typeof wanted === 'number' ? row.id : row.name) === wanted);
  if (own.length > 0) return own.map(([id]) => id);
  if (typeof wanted === 'number') return after.has(wanted) ? [wanted] : [];
  return idsOf(wanted, after, new Set());
}
