import { roundHalfUp } from '../../lib/item/decimal.ts';
import type { AmountName, FieldKind, FieldName } from '../../lib/item/fields.ts';
import { amountNames, fieldNames, fields } from '../../lib/item/fields.ts';
import { jsonPointer } from '../../lib/item/json.ts';
import type { Catalog, Item, Schemas } from '../http/catalogClient.ts';
import type { Problem } from '../http/messages.ts';
import { readAmount } from '../sheet/readAmount.ts';

export type InputName = Exclude<FieldName, 'metadata'>;
export const customKinds = ['text', 'number', 'yes or no', 'JSON'] as const;

/** A custom field as it is typed. */
export interface CustomField {
  readonly key: string;
  readonly kind: (typeof customKinds)[number];
  readonly text: string;
}

/** The texts typed into the form of an item, and nothing else. An input shows its default while its text is empty. */
export interface Draft {
  readonly typed: Readonly<Partial<Record<InputName, string>>>;
  /** All custom fields, if one is typed. */
  readonly custom: readonly CustomField[] | undefined;
}

/** The item under the draft, or for a new one the defaults. */
export type Shown = Partial<Item> & Omit<Schemas['ItemDefaults'], 'cost'>;

/** The problems by input: `value`, or `metadata/color`. */
export type Problems = Readonly<Record<string, Problem>>;

export interface ReadDraft {
  readonly changes: Schemas['ItemChanges'];
  readonly problems: Problems;
}

/** The name of a custom field's input, as in the service's errors. */
export const customInput = (key: string): string => `metadata${jsonPointer([key])}`;

/** The inputs of an item's fields, each with what is typed into it. Limits and defaults come with the catalog. */
const inputs = fieldNames
  .filter((name): name is InputName => name !== 'metadata')
  .map((name) => ({ name, kind: kindOf(fields[name].kind), isRemovable: 'nullable' in fields[name] }));

export const inputNames: readonly InputName[] = inputs.map(({ name }) => name);

function kindOf(kind: FieldKind): CustomField['kind'] {
  if (kind === 'boolean') return 'yes or no';
  return kind === 'number' || kind === 'integer' ? 'number' : 'text';
}

export const isAmount = (name: string): name is AmountName => (amountNames as readonly string[]).includes(name);

/** What an input shows of a value: of 1.299 `1.2990`, which has only one meaning. */
export const inputText = (value: unknown): string =>
  String(value ?? '').replace(/^[1-9]\d{0,2}\.\d{3}$/, typeof value === 'number' ? '$&0' : '$&');

export const customFieldsOf = (metadata: Item['metadata']): CustomField[] =>
  Object.entries(metadata).map(([key, value]) => {
    if (typeof value === 'string') return { key, kind: 'text', text: value };
    if (typeof value === 'number') return { key, kind: 'number', text: String(value) };
    if (typeof value === 'boolean') return { key, kind: 'yes or no', text: String(value) };
    return { key, kind: 'JSON', text: JSON.stringify(value) };
  });

/**
 * Reads what is typed: what it changes in the item that is shown, and what cannot be read.
 * @example readDraft({ typed: { value: '12,50' }, custom: undefined }, item).changes; // { value: 12.5 }
 */
export function readDraft({ typed, custom }: Draft, shown: Shown): ReadDraft {
  const changes: Record<string, unknown> = {};
  const problems: Record<string, Problem> = {};
  for (const { name, kind, isRemovable } of inputs) {
    const text = typed[name];
    if (text === undefined || text === inputText(shown[name]) || isDefault(name, text, shown)) continue;
    const read = text === '' && isRemovable ? { value: null } : readText(kind, text);
    if ('rule' in read) problems[name] = read;
    else if (read.value !== shown[name]) changes[name] = read.value;
  }
  const metadata = custom && readCustom(custom, shown.metadata, problems);
  if (metadata && Object.keys(metadata).length > 0) changes['metadata'] = metadata;
  return { changes, problems };
}

/** Whether an amount is left to its default, which only a new item has. */
export const isDefault = (name: InputName, text: string, shown: Shown): boolean =>
  text === '' && isAmount(name) && shown.id === undefined;

function readText(kind: CustomField['kind'], text: string): { readonly value: unknown } | Problem {
  if (kind === 'yes or no') return { value: text === 'true' };
  if (kind === 'JSON') return readJson(text);
  if (kind === 'text') return { value: text };
  const amount = readAmount(text);
  if (amount === undefined) return { rule: 'number' };
  return 'value' in amount ? amount : { rule: 'ambiguous', choices: amount.choices };
}

function readJson(text: string): { readonly value: unknown } | Problem {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return { rule: 'json' };
  }
}

/** The keys that differ from what is shown, null for those that are removed. */
function readCustom(
  custom: readonly CustomField[],
  shown: Item['metadata'],
  problems: Record<string, Problem>,
): Record<string, unknown> {
  const keys = custom.map(({ key }) => key);
  const removed = Object.keys(shown).filter((key) => !keys.includes(key));
  const changed = removed.map((key): [string, unknown] => [key, null]);
  const before = customFieldsOf(shown).map(identityOf);
  for (const [index, field] of custom.entries()) {
    const { key, kind, text } = field;
    if (key + text === '' || before.includes(identityOf(field))) continue;
    const read = keys.indexOf(key) === index ? readText(kind, text) : { rule: 'repeated' as const };
    if ('rule' in read) problems[customInput(key)] = read;
    else changed.push([key, read.value]);
  }
  // fromEntries also keeps a key named __proto__, which the service refuses.
  return Object.fromEntries(changed);
}

const identityOf = ({ key, kind, text }: CustomField): string => JSON.stringify([key, kind, text]);

/**
 * The draft over the item as it is now: only what was changed in what was shown before stays in it, so that it never
 * takes back what others have saved.
 * @param sent what the item now has of the draft, if it was saved
 */
export function rebase(draft: Draft, before: Shown, now: Shown, sent?: Draft): Draft {
  const { changes, problems } = readDraft(draft, before);
  const isOpen = ([name, text]: [string, string]) =>
    (name in changes || name in problems) && text !== sent?.typed[name as InputName];
  const typed = Object.fromEntries(Object.entries(draft.typed).filter(isOpen));
  if (draft.custom === undefined || draft.custom === sent?.custom) return { typed, custom: undefined };
  const shown = new Set(customFieldsOf(before.metadata).map(identityOf));
  const mine = draft.custom.filter((field) => !shown.has(identityOf(field)));
  const isMine = (key: string) => mine.some((field) => field.key === key) || changes.metadata?.[key] === null;
  return { typed, custom: [...customFieldsOf(now.metadata).filter(({ key }) => !isMine(key)), ...mine] };
}

/** The limit that a value breaks, as the service has it. */
export function brokenLimit(name: string, value: unknown, { limits }: Catalog): Problem | undefined {
  const { min = 0, max } = { ...(limits as Partial<Record<string, { min?: number; max?: number }>>)[name] };
  if (max === undefined || value === null) return undefined;
  if (typeof value === 'string') return [...value].length > max ? { rule: 'max_length', limit: max } : undefined;
  if (Number(value) < min) return { rule: 'min', limit: min };
  return Number(value) > max ? { rule: 'max', limit: max } : undefined;
}

/** An amount that the service accepts, as it saves it: rounded, a quantity by its unit. */
export function savedAmount(name: AmountName, value: number, unit: string, { limits, units }: Catalog): number {
  const { max, decimals } = { decimals: undefined, ...limits[name] };
  return roundHalfUp(value, decimals ?? units.find((each) => each.unit === unit)?.decimals ?? 4, max);
}
