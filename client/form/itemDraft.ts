import { roundHalfUp } from '../../lib/item/decimal.ts';
import { type FieldKind, type FieldName, fieldNames, fields } from '../../lib/item/fields.ts';
import type { Catalog, Item, Schemas } from '../http/catalogClient.ts';
import { readAmount } from './readAmount.ts';

export type InputName = Exclude<FieldName, 'metadata'>;
export const customKinds = ['text', 'number', 'yes or no', 'JSON'] as const;

/** A custom field as it is typed. */
export interface CustomField {
  readonly key: string;
  readonly kind: (typeof customKinds)[number];
  readonly text: string;
}

/** What is typed into the form of an item, and nothing else. */
export interface Draft {
  readonly typed: Readonly<Partial<Record<InputName, string>>>;
  /** All custom fields, if one is typed. */
  readonly custom?: readonly CustomField[] | undefined;
}

/** The item under the draft, or for a new one the defaults. */
export type Shown = Partial<Item> & Omit<Schemas['ItemDefaults'], 'cost'>;

export interface ReadDraft {
  readonly changes: Schemas['ItemChanges'];
  /** What cannot be read, by the input: `value`, or `metadata/color`. */
  readonly problems: Readonly<Record<string, string>>;
  /** The numbers that an ambiguous text can be, by the input. */
  readonly choices: Readonly<Record<string, readonly [number, number]>>;
}

/** The name of a custom field's input, as in the service's errors. */
export const customInput = (key: string): string => `metadata/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;

const kinds: Readonly<Record<string, { readonly kind: FieldKind; readonly nullable?: true }>> = fields;

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
 * @example readDraft({ typed: { value: '12,50' } }, item).changes; // { value: 12.5 }
 */
export function readDraft({ typed, custom }: Draft, shown: Shown): ReadDraft {
  const changes: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  const choices: Record<string, readonly [number, number]> = {};
  const read = (input: string, kind: FieldKind | CustomField['kind'], text: string): unknown => {
    if (kind === 'boolean' || kind === 'yes or no') return text === 'true';
    if (kind === 'JSON') return ifJson(text) ?? fail(problems, input, 'This is not JSON.');
    if (kind !== 'number' && kind !== 'integer') return text;
    const amount = readAmount(text) ?? fail(problems, input, 'Type a number, such as 1299.50.');
    if (amount === undefined || 'value' in amount) return amount?.value;
    choices[input] = amount.choices;
    return fail(problems, input, 'Say which number this is.');
  };
  for (const name of fieldNames) {
    const text = name === 'metadata' ? undefined : typed[name];
    const { kind = 'text', nullable } = kinds[name] ?? {};
    if (text === undefined || text === inputText(shown[name])) continue;
    const value = text === '' && nullable ? null : read(name, kind, text);
    if (value !== undefined && value !== shown[name]) changes[name] = value;
  }
  const metadata = custom && readCustom(custom, shown.metadata, problems, read);
  if (metadata && Object.keys(metadata).length > 0) changes['metadata'] = metadata;
  return { changes, problems, choices };
}

function readCustom(
  custom: readonly CustomField[],
  shown: Item['metadata'],
  problems: Record<string, string>,
  read: (input: string, kind: CustomField['kind'], text: string) => unknown,
): Record<string, unknown> {
  const keys = custom.map(({ key }) => key);
  const changed: [string, unknown][] = Object.keys(shown)
    .filter((key) => !keys.includes(key))
    .map((key) => [key, null]);
  const before = customFieldsOf(shown).map(textOf);
  for (const [index, one] of custom.entries()) {
    const { key, kind, text } = one;
    if (key + text === '' || before.includes(textOf(one))) continue;
    if (keys.indexOf(key) !== index) fail(problems, customInput(key), 'Two custom fields have this name.');
    const value = read(customInput(key), kind, text);
    if (value !== undefined) changed.push([key, value]);
  }
  // fromEntries also keeps a key named __proto__, which the service refuses.
  return Object.fromEntries(changed);
}

const textOf = ({ key, kind, text }: CustomField): string => JSON.stringify([key, kind, text]);

function fail(problems: Record<string, string>, input: string, reason: string): undefined {
  problems[input] = reason;
}

function ifJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The draft over the item as it is now: only what was changed in what was shown before stays in it, so that it never
 * takes back what others have saved.
 * @param sent what the item now has of the draft, if it was saved
 */
export function rebase(draft: Draft, before: Shown, now: Shown, sent: Draft = { typed: {} }): Draft {
  const { changes, problems } = readDraft(draft, before);
  const isOpen = ([name, text]: [string, string]) =>
    (name in changes || name in problems) && text !== sent.typed[name as InputName];
  const typed = Object.fromEntries(Object.entries(draft.typed).filter(isOpen));
  if (draft.custom === undefined || draft.custom === sent.custom) return { typed };
  const shown = new Set(customFieldsOf(before.metadata).map(textOf));
  const own = draft.custom.filter((one) => !shown.has(textOf(one)));
  const isOwn = (key: string) => own.some((one) => one.key === key) || changes.metadata?.[key] === null;
  return { typed, custom: [...customFieldsOf(now.metadata).filter(({ key }) => !isOwn(key)), ...own] };
}

/** An amount as the service saves it: rounded, a quantity by its unit. */
export function savedAmount(
  name: 'value' | 'qty' | 'cost' | 'tax',
  value: number,
  unit: string,
  { limits, units }: Catalog,
): number {
  const { max, decimals } = { decimals: undefined, ...limits[name] };
  const places = decimals ?? units.find((one) => one.unit === unit)?.decimals ?? 4;
  return value >= 0 && value <= max ? roundHalfUp(value, places, max) : value;
}
