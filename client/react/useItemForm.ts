import { useEffect, useMemo } from 'react';
import type { InputName } from '../form/itemDraft.ts';
import { ItemForm, type ItemFormOptions } from '../form/itemForm.ts';
import type { Both, ItemFormState } from '../form/itemFormState.ts';
import type { Catalog, Client } from '../http/catalogClient.ts';
import { type Messages, type Texts, textOf } from '../http/messages.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import { enForm } from '../texts/enForm.ts';
import { useStore } from './useStore.ts';

export interface UseItemFormOptions extends Omit<ItemFormOptions, 'client' | 'catalog'> {
  /** The texts of messages. By default English. */
  readonly texts?: Texts | undefined;
}

type Acts = Pick<
  ItemForm,
  'open' | 'setValue' | 'setCustomFields' | 'reset' | 'save' | 'decide' | 'resolveUnconfirmed'
>;

/** Props of an `<input>`, `<select>` or `<textarea>`. */
interface FieldProps {
  readonly name: string;
  readonly value: string;
  readonly placeholder: string | undefined;
  readonly onChange: (event: { readonly target: { readonly value: string } }) => void;
  readonly 'aria-invalid': true | undefined;
}

interface Written {
  /** The notice and the errors as texts. */
  readonly messages: Messages;
  /** The fields to decide at the status `conflict`. */
  readonly conflict: readonly Both[];
  /** @param name of a field; `active` is a checkbox, which takes `values.active === 'true'` as `checked` */
  readonly field: (name: Exclude<InputName, 'active'>) => FieldProps;
}

type Others<State> = State extends unknown ? Omit<State, keyof Written> : never;
export type ShownItemForm = Acts & Others<ItemFormState> & Written;

/**
 * The form of an item: the state and the acts of an `ItemForm`, with messages. The acts are the same in each render, and
 * what is shown is another object whenever it has changed. Before what is typed is lost, the user is asked (`confirm`).
 * @example const form = useItemForm(client, catalog, { storage: sessionStorage }); // <input {...form.field('name')} />
 */
export function useItemForm(client: Client, catalog: Catalog, options: UseItemFormOptions = {}): ShownItemForm {
  const { texts = enForm, mayLeave = () => confirm(texts.unsaved ?? enForm.unsaved), ...others } = options;
  const given = { ...others, mayLeave, client, catalog };
  const form = useStore(() => new ItemForm(given), `${catalog.account} ${catalog.user}`);
  useEffect(() => form.setOptions(given));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another storage has other creates that are open
  useEffect(() => form.start(), [form, others.storage]);
  const state = form.getState();
  const { isDirty, notice, errors } = state;
  useEffect(() => (isDirty ? askBeforeLeaving(() => form.getState().isDirty) : undefined), [form, isDirty]);
  const messages = useMemo(() => messagesIn({ notice, errors }, texts), [notice, errors, texts]);
  const { open, setValue, setCustomFields, reset, save, decide, resolveUnconfirmed } = form;
  return {
    open,
    setValue,
    setCustomFields,
    reset,
    save,
    decide,
    resolveUnconfirmed,
    ...state,
    messages,
    conflict: state.status === 'conflict' ? state.conflict : [],
    field: (name) => ({
      name,
      value: state.values[name],
      placeholder: state.placeholders[name],
      onChange: ({ target }) => setValue(name, target.value),
      'aria-invalid': errors[name] === undefined ? undefined : true,
    }),
  };
}

function messagesIn({ notice, errors }: Pick<ItemFormState, 'notice' | 'errors'>, texts: Texts): Messages {
  const inputs = Object.entries(errors).map(([input, error]) => [input, textOf(error, texts)] as const);
  return { form: notice === undefined ? '' : textOf(notice, texts), inputs: Object.fromEntries(inputs) };
}
