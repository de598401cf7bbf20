import type * as z from 'zod/mini';
import type { Defaults } from '../../lib/catalog/catalogStore.ts';
import { type Account, type Category, initialUnits } from '../../lib/item/account.ts';
import { newNames } from '../../lib/item/configurationFields.ts';
import type { FieldProblem } from '../../lib/item/fields.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import { fingerprint } from '../../lib/store/records/idempotencyRecord.ts';
import { type AccountDocument, at, DocumentError } from './accountDocument.ts';

/** One change to an account. */
export type AccountChange =
  | { readonly change: 'open account' }
  | { readonly change: 'add unit'; readonly unit: string; readonly decimals: number }
  | ({ readonly change: 'add category'; readonly id: number } & Category)
  | { readonly change: 'change category'; readonly id: number; readonly from: Category; readonly to: Category }
  | { readonly change: 'set defaults'; readonly from: Defaults; readonly to: Defaults };

export interface AccountPlan {
  /** In an order in which they can also be made one after the other. */
  readonly changes: readonly AccountChange[];
  /** What the account has and the document leaves out, which stays as it is. */
  readonly kept: {
    readonly categories: readonly number[];
    readonly units: readonly string[];
    readonly defaults: readonly ('defaultCategory' | 'defaultTax')[];
  };
}

const newAccount = { defaultCategory: null, defaultTax: 0, categories: new Map(), units: initialUnits };

/** Notes what cannot be done, and where the document asks for it. */
type Refuse = (path: readonly PropertyKey[], reason: string) => void;

/**
 * Compares a document with an account.
 * @param account undefined if it is not open
 * @param lastCategory the last category id that was assigned, if that is known
 * @throws DocumentError `IMPOSSIBLE_CHANGE` with everything that cannot be done
 */
export function planAccount(document: AccountDocument, account: Account | undefined, lastCategory = 0): AccountPlan {
  const before: Account = account ?? { id: document.account, ...newAccount };
  const problems: FieldProblem[] = [];
  const refuse: Refuse = (path, reason) => void problems.push(at(path, reason));
  const units = addedUnits(document, before, refuse);
  const categories = planCategories(document, before, lastCategory, refuse);
  const from = { category: before.defaultCategory, tax: before.defaultTax };
  const to = {
    category: defaultCategory(document, before, categories, refuse),
    tax: document.defaultTax ?? before.defaultTax,
  };
  if (problems.length > 0) throw new DocumentError('IMPOSSIBLE_CHANGE', problems);
  const isSame = from.category === to.category && from.tax === to.tax;
  const namedUnits = new Set(document.units?.map(({ unit }) => storedUnit(unit, before)));
  const isArchiving = (change: AccountChange) => change.change === 'change category' && change.to.archived;
  return {
    changes: [
      ...(account === undefined ? [{ change: 'open account' } as const] : []),
      ...units,
      ...categories.changes.filter((change) => !isArchiving(change)),
      ...(isSame ? [] : [{ change: 'set defaults', from, to } as const]),
      // Until then, one of these may be the default.
      ...categories.changes.filter(isArchiving),
    ],
    kept: {
      categories: [...before.categories.keys()].filter((id) => !categories.named.has(id)),
      units: [...before.units.keys()].filter((code) => !namedUnits.has(code)),
      defaults: (['defaultCategory', 'defaultTax'] as const).filter((name) => document[name] === undefined),
    },
  };
}

/**
 * What an account has and a document does not say, because it would change it or leaves it out.
 * @returns rows as in a document
 */
function unsaidRows(account: Account, { changes, kept }: AccountPlan): JsonObject[] {
  const changed = changes.flatMap((change): JsonObject[] => {
    if (change.change === 'change category') return [{ id: change.id, ...change.from }];
    if (change.change !== 'set defaults') return [];
    const { from, to } = change;
    return [
      ...(from.category === to.category ? [] : [{ defaultCategory: from.category }]),
      ...(from.tax === to.tax ? [] : [{ defaultTax: from.tax }]),
    ];
  });
  return [
    ...changed,
    ...kept.defaults.map((name) => ({ [name]: account[name] })),
    ...kept.categories.map((id) => ({ id, ...account.categories.get(id) })),
    ...kept.units.map((unit) => ({ unit, decimals: account.units.get(unit) ?? null })),
  ];
}

/** A fingerprint of each value of an account, for a document that shows it. */
export const shownState = (account: Account): string =>
  unsaidRows(account, planAccount({ account: account.id }, account))
    .map(markOf)
    .join(' ');

const markOf = (row: JsonObject): string => fingerprint(row).slice(0, 12);

/** @throws DocumentError `OUTDATED_DOCUMENT` if the account has what the document neither showed nor says */
export function requireShown({ shown }: AccountDocument, account: Account, plan: AccountPlan): void {
  const newer = shown === undefined ? [] : unsaidRows(account, plan).filter((row) => !shown.includes(markOf(row)));
  if (newer.length === 0) return;
  const reason = `is outdated: the account now has ${newer.map((row) => JSON.stringify(row)).join(', ')}`;
  throw new DocumentError('OUTDATED_DOCUMENT', [at(['shown'], reason)]);
}

function addedUnits(document: AccountDocument, before: Account, refuse: Refuse): AccountChange[] {
  const registered = new Map(before.units);
  const changes: AccountChange[] = [];
  for (const [index, { unit: sent, decimals }] of (document.units ?? []).entries()) {
    const unit = storedUnit(sent, before);
    const known = registered.get(unit);
    if (known === undefined) refuseUnless(newNames.unit, unit, ['units', index, 'unit'], refuse);
    if (known === undefined) changes.push({ change: 'add unit', unit, decimals });
    else if (known !== decimals)
      refuse(['units', index, 'decimals'], `cannot be changed: the unit ${unit} has ${known}`);
    registered.set(unit, known ?? decimals);
  }
  return changes;
}

/** Units were stored as they were sent, and are now stored in NFC. */
const storedUnit = (sent: string, { units }: Account): string => (units.has(sent) ? sent : sent.normalize('NFC'));

function refuseUnless(schema: z.ZodMiniType, name: string, path: readonly PropertyKey[], refuse: Refuse): void {
  const { error } = schema.safeParse(name);
  for (const { message } of error?.issues ?? []) refuse(path, message);
}

/** @returns also the categories as they will be, and those of the document by their ids in the account */
function planCategories(
  { categories: rows = [] }: AccountDocument,
  { categories: before }: Account,
  lastCategory: number,
  refuse: Refuse,
) {
  const changes: AccountChange[] = [];
  const after = new Map(before);
  const named = new Map<number, (typeof rows)[number]>();
  const byId = new Set(rows.map(({ id }) => id));
  const added = new Set<string>();
  let last = Math.max(lastCategory, ...before.keys(), ...rows.map(({ id = 0 }) => id));
  for (const [index, row] of rows.entries()) {
    const isKnown = row.id !== undefined && before.has(row.id);
    const found = isKnown ? [row.id] : idsOf(before, ([id, { name }]) => name === row.name && !byId.has(id));
    if (found.length > 1) refuse(['categories', index], `needs its id: the account has ${found.length} of this name`);
    // With both, the next application would find two categories by that name.
    const isNew = row.id === undefined && found.length === 0;
    if (isNew && added.has(row.name)) refuse(['categories', index], 'has the name of another new category');
    if (isNew) added.add(row.name);
    const id = found[0] ?? row.id ?? ++last;
    if (named.has(id)) refuse(['categories', index], `is the same category as another one in the document (${id})`);
    named.set(id, row);
    const from = before.get(id);
    const to = { name: row.name, archived: row.archived ?? from?.archived ?? false };
    if (from?.name !== row.name) refuseUnless(newNames.category, row.name, ['categories', index, 'name'], refuse);
    after.set(id, to);
    if (from === undefined) changes.push({ change: 'add category', id, ...to });
    else if (from.name !== to.name || from.archived !== to.archived)
      changes.push({ change: 'change category', id, from, to });
  }
  return { changes, after, named };
}

const idsOf = <Row>(categories: ReadonlyMap<number, Row>, isMeant: (category: [number, Row]) => boolean): number[] =>
  [...categories].filter(isMeant).map(([id]) => id);

function defaultCategory(
  { defaultCategory: wanted }: AccountDocument,
  { defaultCategory: current }: Account,
  { after, named }: ReturnType<typeof planCategories>,
  refuse: Refuse,
): number | null {
  // A reference means the document's own categories first.
  const inDocument = idsOf(named, ([, row]) => row.id === wanted || row.name === wanted);
  const referenced =
    inDocument.length > 0 ? inDocument : idsOf(after, ([id, { name }]) => id === wanted || name === wanted);
  const ids = wanted === undefined ? [current] : wanted === null ? [null] : referenced;
  const [id = null] = ids;
  if (ids.length > 1) refuse(['defaultCategory'], `must be an id: ${ids.length} categories have this name`);
  else if (ids.length === 0) refuse(['defaultCategory'], 'is not a category of this account');
  // A default that was archived by hand stays as it is, unless the document is about it.
  else if (id !== null && after.get(id)?.archived === true && (wanted !== undefined || named.has(id)))
    refuse(['defaultCategory'], `must be another one, because category ${id} is archived`);
  return id;
}
