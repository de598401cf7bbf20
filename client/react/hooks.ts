import { useEffect, useInsertionEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { InputName } from '../form/itemDraft.ts';
import { ItemForm, type ItemFormOptions } from '../form/itemForm.ts';
import type { Both, ItemFormState } from '../form/itemFormState.ts';
import type { Catalog, Client } from '../http/catalogClient.ts';
import { type Messages, type Texts, textOf } from '../http/messages.ts';
import { SheetImport, type SheetImportOptions } from '../import/sheetImport.ts';
import { type Change, ItemHistory } from '../items/followChanges.ts';
import { ItemList, type ItemsQuery } from '../items/itemList.ts';
import { askBeforeLeaving } from '../state/askBeforeLeaving.ts';
import type { Store } from '../state/store.ts';
import { enForm } from '../texts/enForm.ts';
import { Undo } from '../undo/undo.ts';
import type { UndoOptions } from '../undo/undoChanges.ts';

/**
 * Renders at each change of a store, which is disposed of when its component is gone for good: only this kind of effect
 * stays while `<Activity>` hides a component, so what is under way then goes on.
 * @param make makes the store, once for each key
 * @param key of what it is about, such as the user
 */
function useStore<Made extends Store<unknown>>(make: () => Made, key?: unknown): Made {
  const [made, remake] = useState(() => ({ key, store: make() }));
  let { store } = made;
  if (made.key !== key) {
    store = make();
    remake({ key, store });
  }
  useInsertionEffect(() => store.retain(), [store]);
  useSyncExternalStore(store.subscribe, store.getState, store.getState);
  return store;
}

/** The state of a store with these of its acts, which are the same in each render. */
function stateWith<Made extends Store<unknown>, Act extends keyof Made>(store: Made, ...acts: readonly Act[]) {
  const named = Object.fromEntries(acts.map((act) => [act, store[act]]));
  return { ...named, ...(store.getState() as object) } as ReturnType<Made['getState']> & Pick<Made, Act>;
}

/**
 * The list of items that a user searches: the state and the acts of an `ItemList`. The acts are the same in each render.
 * @example const { items, hasMore, loadMore, upsert } = useItems(client, { text: 'oak desk' });
 */
export function useItems(client: Client, { text, filter, pageSize }: ItemsQuery) {
  const list = useStore(() => new ItemList(client), client);
  const filterText = JSON.stringify(filter ?? {});
  useEffect(() => list.start(), [list]);
  useEffect(
    () => list.setQuery({ text, filter: JSON.parse(filterText), pageSize }),
    [list, text, filterText, pageSize],
  );
  return stateWith(list, 'loadMore', 'findAll', 'upsert', 'refresh');
}

export interface UseItemFormOptions extends Omit<ItemFormOptions, 'client' | 'catalog'> {
  /** The texts of messages. By default English. */
  readonly texts?: Texts | undefined;
}

const formActs = ['open', 'setValue', 'setCustomFields', 'reset', 'save', 'decide', 'resolveUnconfirmed'] as const;

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
export type ShownItemForm = Pick<ItemForm, (typeof formActs)[number]> & Others<ItemFormState> & Written;

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
  const state = stateWith(form, ...formActs);
  const { isDirty, notice, errors } = state;
  useEffect(() => (isDirty ? askBeforeLeaving(() => form.getState().isDirty) : undefined), [form, isDirty]);
  const messages = useMemo(() => messagesIn({ notice, errors }, texts), [notice, errors, texts]);
  return {
    ...state,
    messages,
    conflict: state.status === 'conflict' ? state.conflict : [],
    field: (name) => ({
      name,
      value: state.values[name],
      placeholder: state.placeholders[name],
      onChange: ({ target }) => form.setValue(name, target.value),
      'aria-invalid': errors[name] === undefined ? undefined : true,
    }),
  };
}

function messagesIn({ notice, errors }: Pick<ItemFormState, 'notice' | 'errors'>, texts: Texts): Messages {
  const inputs = Object.entries(errors).map(([input, error]) => [input, textOf(error, texts)] as const);
  return { form: notice === undefined ? '' : textOf(notice, texts), inputs: Object.fromEntries(inputs) };
}

const none: readonly Change[] = [];

interface ItemChangesOptions {
  /** Another one reads again, such as that of `useItems`. */
  readonly version?: number | undefined;
  /** By default 20. */
  readonly count?: number | undefined;
}

/**
 * Who has changed an item, newest first.
 * @example const { changes } = useItemChanges(client, item.id, { version });
 */
export function useItemChanges(
  client: Client,
  id: number,
  { version, count }: ItemChangesOptions = {},
): { readonly changes: readonly Change[] } {
  const history = useStore(() => new ItemHistory());
  // biome-ignore lint/correctness/useExhaustiveDependencies: another version is another answer
  useEffect(() => history.read(client, id, { count }), [history, client, id, version, count]);
  const state = history.getState();
  return { changes: state.id === id ? state.changes : none };
}

const importActs = ['load', 'answer', 'setColumns', 'setOptions', 'start', 'pause', 'resume', 'close'] as const;
const rowActs = ['editCell', 'retryRejected', 'reactivateItems', 'addCategories', 'rejects'] as const;

/**
 * Imports a sheet, as {@link SheetImport} does. The functions are always the same.
 * @param options its `storage` keeps how to resume after a reload; undefined on a server
 * @example const sheets = useImport(client, catalog, { storage: localStorage }); // sheets.load(file), then sheets.start()
 */
export function useImport(client: Client, catalog: Catalog, { storage }: Pick<SheetImportOptions, 'storage'>) {
  const sheets = useStore(
    () => new SheetImport({ client, catalog, storage }),
    `${client.service} ${catalog.account} ${catalog.user}`,
  );
  useEffect(() => void sheets.setOptions({ client, catalog, storage }));
  return stateWith(sheets, ...importActs, ...rowActs);
}

/**
 * Undoes changes: the state and the functions of an `Undo`. The functions are always the same.
 * @param options its `storage` keeps how to go on. On a server there is none
 * @example const undoing = useUndo(client, { storage: localStorage }); // undoing.preview(target), then undoing.start(target)
 */
export function useUndo(client: Client, { storage }: Pick<UndoOptions, 'storage'>) {
  const undoing = useStore(() => new Undo({ client, storage }));
  useEffect(() => undoing.setOptions({ client, storage }), [undoing, client, storage]);
  return stateWith(undoing, 'preview', 'start', 'pause', 'reset');
}
