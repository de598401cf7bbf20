import { customKey } from '../../lib/item/customName.ts';
import type { Catalog, Item, Notice, Problem, Schemas } from '../http/catalogClient.ts';
import type { LoadedItem } from '../items/readItems.ts';
import {
  brokenLimit,
  type CustomField,
  customFieldsOf,
  customInput,
  type Draft,
  type InputName,
  inputText,
  type Problems,
  readDraft,
  type Shown,
  savedAmount,
} from './itemDraft.ts';

/** What the user and somebody else have both changed. A quantity comes with its unit. */
export interface Both {
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** What a form is at. */
export type FormStep =
  | { readonly status: 'ready' | 'saving' | 'saved' }
  | { readonly status: 'loading'; readonly id: number }
  /** There is no such item (any more), or it cannot be read. There is nothing to save. */
  | { readonly status: 'missing'; readonly id: number }
  /** The notice or the inputs say why. */
  | { readonly status: 'failed' }
  | { readonly status: 'conflict'; readonly conflict: readonly Both[] }
  /** A create got no answer, and something else is typed by now. */
  | { readonly status: 'asked'; readonly lost: Schemas['NewItem'] };

/** What a form shows at every step. */
export interface FormContent extends Draft {
  /** The item as it was loaded or saved; undefined for a new one. */
  readonly loaded: LoadedItem | undefined;
  readonly notice: Notice | undefined;
  /** What a save has found, by the input, until something else is typed there. */
  readonly refused: Problems;
}

/** What follows from that. */
interface Derived {
  /** What is wrong with what is typed by now. */
  readonly problems: Problems;
  /** The amounts that are typed, as they will be saved. */
  readonly saved: Readonly<Partial<Record<InputName, number>>>;
  readonly isEdited: boolean;
}

export type ItemFormState = FormContent & Derived & FormStep;

export const blank: FormContent = {
  typed: {},
  custom: undefined,
  loaded: undefined,
  notice: undefined,
  refused: {},
};

/** What stands under the draft: the item, or what the service takes if nothing is typed. */
export const shownOf = ({ loaded, typed }: Pick<FormContent, 'loaded' | 'typed'>, { defaults }: Catalog): Shown =>
  loaded?.item ?? { ...defaults[typed.type === 'service' ? 'service' : 'product'], type: 'product' };

/** @param step also the state before, to stay at its step */
export function formState(content: FormContent, step: FormStep, catalog: Catalog): ItemFormState {
  const { typed, custom, loaded, notice, refused } = content;
  const shown = shownOf(content, catalog);
  const { changes, problems: unread } = readDraft(content, shown);
  const problems: Record<string, Problem> = { ...unread };
  const saved: Partial<Record<InputName, number>> = {};
  for (const [name, value] of Object.entries(changes)) {
    const problem = brokenLimit(name, value, catalog);
    if (problem !== undefined) problems[name] = problem;
    else if (isAmount(name)) saved[name] = savedAmount(name, Number(value), typed.unit ?? shown.unit, catalog);
  }
  const isEdited = Object.keys(changes).length + Object.keys(problems).length > 0;
  return { ...step, typed, custom, loaded, notice, refused, problems, saved, isEdited };
}

const isAmount = (name: string) => name === 'value' || name === 'qty' || name === 'cost' || name === 'tax';

/** What an input shows: what is typed there, or the value of the item. */
export const inputTextOf = ({ typed, loaded }: FormContent, name: InputName, catalog: Catalog): string =>
  typed[name] ?? inputText((shownOf({ typed, loaded }, catalog) as Partial<Item>)[name]);

/** The custom fields as they are typed, each with its problem. */
export const customFieldsIn = (content: FormContent, catalog: Catalog): readonly CustomField[] =>
  content.custom ?? customFieldsOf(shownOf(content, catalog).metadata);

/** The draft in which one of both values is chosen. */
export function decided(content: FormContent, { name, mine, theirs }: Both, isMine: boolean, catalog: Catalog): Draft {
  const { typed } = content;
  const value = isMine ? mine : theirs;
  const key = customKey(name);
  if (key !== undefined) {
    const others = customFieldsIn(content, catalog).filter((field) => field.key !== key);
    return { typed, custom: [...others, ...(value === null ? [] : customFieldsOf({ [key]: value }))] };
  }
  const [first, unit] = [value].flat();
  const typedUnit = name === 'qty' ? { unit: inputText(unit) } : {};
  return { typed: { ...typed, [name]: inputText(first), ...typedUnit }, custom: content.custom };
}

/** Both values of each name that is in conflict. @param mine the item as it was loaded, with what was sent */
export const bothOf = (names: readonly string[], mine: Partial<Item>, theirs: Item): readonly Both[] =>
  names.map((name) => ({ name, mine: partOf(mine, name), theirs: partOf(theirs, name) }));

function partOf(item: Partial<Item>, name: string): unknown {
  if (name === 'qty') return [item.qty, item.unit];
  const key = customKey(name);
  return key === undefined ? item[name as InputName] : (item.metadata?.[key] ?? null);
}

/** What is wrong with a custom field, or deep in it. */
export const customProblem = (problems: Problems, key: string) =>
  Object.entries(problems).find(([input]) => `${input}/`.startsWith(`${customInput(key)}/`))?.[1];
