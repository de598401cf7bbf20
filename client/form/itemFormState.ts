import { customKey } from '../../lib/item/customName.ts';
import type { Catalog, Item, Schemas } from '../http/catalogClient.ts';
import type { Notice, Problem } from '../http/messages.ts';
import type { CustomField, Draft, InputName, Problems, Shown } from './itemDraft.ts';
import {
  brokenLimit,
  customFieldsOf,
  customInput,
  inputNames,
  inputText,
  isAmount,
  isDefault,
  readDraft,
  savedAmount,
} from './itemDraft.ts';

/** What the user and somebody else have both changed. A quantity comes with its unit. */
export interface Both {
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

/** The form's status, with what belongs to it. */
export type FormStep =
  | { readonly status: 'ready' | 'saving' | 'saved' }
  | { readonly status: 'loading'; readonly id: number }
  /** There is no such item (any more), or it cannot be read. There is nothing to save. */
  | { readonly status: 'missing'; readonly id: number }
  /** The notice or the errors say why. */
  | { readonly status: 'failed' }
  | { readonly status: 'conflict'; readonly conflict: readonly Both[] }
  /**
   * The create of this item got no answer, so it may exist. Is what is typed by now the same item, or a new one? If the
   * create is expired, only the user can find out whether it exists.
   */
  | { readonly status: 'unconfirmed'; readonly unconfirmed: Schemas['NewItem']; readonly isExpired: boolean };

/** What a form holds. All else in its state follows from that. */
export interface FormContent {
  readonly draft: Draft;
  /** The item as it was loaded or saved; undefined for a new one. */
  readonly item: Item | undefined;
  readonly notice: Notice | undefined;
  /** What a save has found, by the input, until something else is typed there. */
  readonly refused: Problems;
}

type Texts = Readonly<Record<InputName, string>>;

/** What a form shows at every step. */
interface FormView extends Pick<FormContent, 'item' | 'notice'> {
  /** The text of each input: what is typed there, or the value of the item. Custom fields are in `customFields`. */
  readonly values: Texts;
  /** What the amounts of a new item are if nothing is typed, for inputs that are empty then. */
  readonly placeholders: Readonly<Partial<Texts>>;
  /** The texts that are typed. */
  readonly typed: Draft['typed'];
  /** All custom fields, those of the item and those that are typed. */
  readonly customFields: readonly ShownCustomField[];
  /** The errors of inputs, by their names: unreadable, beyond a limit, or refused. */
  readonly errors: Problems;
  /** The amounts that are typed, as they will be saved. */
  readonly parsed: Readonly<Partial<Record<InputName, number>>>;
  readonly isDirty: boolean;
}

export interface ShownCustomField extends CustomField {
  readonly error: Problem | undefined;
}

export type ItemFormState = FormView & FormStep;

const nothingTyped: Draft = { typed: {}, custom: undefined };

export const blank: FormContent = { draft: nothingTyped, item: undefined, notice: undefined, refused: {} };

/** What stands under the draft: the item, or what the service takes if nothing is typed. */
export const shownOf = ({ item, draft }: Pick<FormContent, 'item' | 'draft'>, { defaults }: Catalog): Shown =>
  item ?? { ...defaults[draft.typed.type === 'service' ? 'service' : 'product'], type: 'product' };

/** @param step also the state before, to stay at its step */
export function formState(content: FormContent, step: FormStep, catalog: Catalog): ItemFormState {
  const { draft, item, notice, refused } = content;
  const shown = shownOf(content, catalog);
  const { changes, problems } = readDraft(draft, shown);
  const errors: Record<string, Problem> = { ...refused, ...problems };
  const parsed: Partial<Record<InputName, number>> = {};
  for (const [name, value] of Object.entries(changes)) {
    const problem = brokenLimit(name, value, catalog);
    if (problem !== undefined) errors[name] = problem;
    else if (isAmount(name)) parsed[name] = savedAmount(name, Number(value), draft.typed.unit ?? shown.unit, catalog);
  }
  const customFields = customFieldsIn(content, catalog).map(({ key, kind, text }) => {
    return { key, kind, text, error: customProblem(errors, key) };
  });
  const isDirty = Object.keys(changes).length + Object.keys(problems).length > 0;
  return {
    ...step,
    ...inputTexts(draft, shown),
    typed: draft.typed,
    customFields,
    errors,
    parsed,
    item,
    notice,
    isDirty,
  };
}

/** The amounts of a new item have no text until one is typed: a click into `0.00` would make `0.001250` of 1250. */
function inputTexts({ typed }: Draft, shown: Shown): Pick<FormView, 'values' | 'placeholders'> {
  const values: Partial<Record<InputName, string>> = {};
  const placeholders: Partial<Record<InputName, string>> = {};
  for (const name of inputNames) {
    const text = inputText(shown[name]);
    const isEmpty = isDefault(name, '', shown);
    if (isEmpty) placeholders[name] = text;
    values[name] = typed[name] ?? (isEmpty ? '' : text);
  }
  return { values: values as Texts, placeholders };
}

/** All custom fields, as they are typed. */
const customFieldsIn = (content: FormContent, catalog: Catalog): readonly CustomField[] =>
  content.draft.custom ?? customFieldsOf(shownOf(content, catalog).metadata);

/** The draft in which one of both values is chosen. */
export function decided(content: FormContent, { name, mine, theirs }: Both, isMine: boolean, catalog: Catalog): Draft {
  const { typed, custom } = content.draft;
  const value = isMine ? mine : theirs;
  const key = customKey(name);
  if (key !== undefined) {
    const others = customFieldsIn(content, catalog).filter((field) => field.key !== key);
    return { typed, custom: [...others, ...(value === null ? [] : customFieldsOf({ [key]: value }))] };
  }
  const [first, unit] = [value].flat();
  const typedUnit = name === 'qty' ? { unit: inputText(unit) } : {};
  return { typed: { ...typed, [name]: inputText(first), ...typedUnit }, custom };
}

/** Both values of each name that is in conflict. @param mine the item as it was loaded, with what was sent */
export const bothOf = (names: readonly string[], mine: Partial<Item>, theirs: Item): readonly Both[] =>
  names.map((name) => ({ name, mine: partOf(mine, name), theirs: partOf(theirs, name) }));

function partOf(item: Partial<Item>, name: string): unknown {
  if (name === 'qty') return [item.qty, item.unit];
  const key = customKey(name);
  if (key === undefined) return item[name as InputName];
  return new Map(Object.entries(item.metadata ?? {})).get(key) ?? null;
}

/** The error of a custom field, or of a value deep in it. */
const customProblem = (problems: Problems, key: string) =>
  Object.entries(problems).find(([input]) => `${input}/`.startsWith(`${customInput(key)}/`))?.[1];
