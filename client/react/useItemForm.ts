import { useEffect, useMemo } from 'react';
import type { CustomField } from '../form/itemDraft.ts';
import { ItemForm, type ItemFormOptions } from '../form/itemForm.ts';
import {
  type Both,
  customFieldsIn,
  customProblem,
  type FormContent,
  type ItemFormState,
} from '../form/itemFormState.ts';
import { type Catalog, type Client, type Messages, type Problem, type Texts, textOf } from '../http/catalogClient.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import { enForm } from '../texts/enForm.ts';
import { type Functions, useStore } from './useStore.ts';

export interface UseItemFormOptions extends Omit<ItemFormOptions, 'client' | 'catalog'> {
  /** What messages are written with. By default English. */
  readonly texts?: Texts | undefined;
}

/** Members that the hook has at each step. */
interface Written {
  readonly messages: Messages;
  readonly conflict: readonly Both[];
  readonly custom: readonly (CustomField & { readonly reason: string | undefined })[];
}

type Others<State> = State extends unknown ? Omit<State, keyof Written> : never;
export type ShownItemForm = Functions<ItemForm> & Others<ItemFormState> & Written;

/**
 * The form of an item: the state and the functions of an `ItemForm`, with messages. The functions are always the same.
 * @example const form = useItemForm(client, catalog, { storage: sessionStorage }); // form.type('value', '12,50'); form.save()
 */
export function useItemForm(client: Client, catalog: Catalog, options: UseItemFormOptions = {}): ShownItemForm {
  const { texts = enForm, mayLeave = () => confirm(texts.unsaved ?? enForm.unsaved), ...others } = options;
  const given = { ...others, mayLeave, client, catalog };
  const form = useStore(() => new ItemForm(given), `${catalog.account} ${catalog.user}`);
  useEffect(() => form.setOptions(given));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another storage has other creates that are open
  useEffect(() => form.start(), [form, others.storage]);
  const state = form.getState();
  const { isEdited } = state;
  useEffect(() => (isEdited ? askBeforeLeaving(() => form.getState().isEdited) : undefined), [form, isEdited]);
  const write = (problem: Problem | undefined) => problem && textOf(problem, texts);
  const { notice, refused } = state;
  const messages = useMemo(() => messagesIn({ notice, refused }, texts), [notice, refused, texts]);
  return {
    ...form,
    ...state,
    /** As of now, also in a handler that was made before: what leaves the page after a save is not held up. */
    get isEdited() {
      return form.getState().isEdited;
    },
    messages,
    conflict: state.status === 'conflict' ? state.conflict : [],
    custom: customFieldsIn(state, catalog).map((field) => ({
      ...field,
      reason: write(customProblem(state.refused, field.key)),
    })),
  };
}

function messagesIn({ notice, refused }: Pick<FormContent, 'notice' | 'refused'>, texts: Texts): Messages {
  const inputs = Object.entries(refused).map(([input, problem]) => [input, textOf(problem, texts)] as const);
  return { form: notice === undefined ? '' : textOf(notice, texts), inputs: Object.fromEntries(inputs) };
}
