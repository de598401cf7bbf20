import { useEffect, useRef } from 'react';
import {
  type CustomField,
  customFieldsOf,
  customInput,
  type Draft,
  type InputName,
  inputText,
  readDraft,
  rebase,
  savedAmount,
} from '../form/itemDraft.ts';
import {
  type CallerStorage,
  type Catalog,
  type Client,
  type Item,
  type Messages,
  messagesOf,
  newKey,
  type Schemas,
  type Texts,
} from '../http/catalogClient.ts';
import { mayPass } from '../http/untilDone.ts';
import { createItem, forgetCreate, resumeCreate } from '../items/createItem.ts';
import { type LoadedItem, loadedItem, loadItem } from '../items/readItems.ts';
import { saveItem } from '../items/saveItem.ts';
import { useRun } from './useRun.ts';

/** What the user and somebody else have both changed. A quantity comes with its unit. */
interface Both {
  readonly name: string;
  readonly mine: unknown;
  readonly theirs: unknown;
}

interface State extends Draft {
  /** The item as it was loaded or saved; undefined for a new one. */
  readonly loaded?: LoadedItem | undefined;
  /** `asked` if a create got no answer, and something else is typed by now. */
  readonly status: 'ready' | 'loading' | 'saving' | 'saved' | 'failed' | 'asked';
  readonly messages: Messages;
  readonly conflict: readonly Both[];
  /** What was sent of a new item, and is not answered. */
  readonly lost?: Lost | undefined;
}

interface Lost {
  readonly body: Schemas['NewItem'];
  readonly draft: Draft;
  /** Whether it was certainly not carried out, such as at a 401. */
  readonly isRefused?: boolean;
}

const said = (form: string, inputs: Messages['inputs'] = {}): Messages => ({ form, inputs });
const nothing = { loaded: undefined, custom: undefined, lost: undefined };
const blank: State = { ...nothing, typed: {}, status: 'ready', messages: said(''), conflict: [] };

export interface ItemFormOptions {
  /** Keeps creates that are not answered. */
  readonly storage: CallerStorage;
  readonly texts?: Texts | undefined;
  readonly onSaved?: ((item: Item) => void) | undefined;
  /** Asks whether what is typed may be lost. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/**
 * The form of an item. What is typed stays until it is saved: a slow answer replaces neither what was opened nor what was
 * typed since.
 * @example const form = useItemForm(client, catalog, { storage: sessionStorage }); // form.type('value', '12,50'); form.save()
 */
export function useItemForm(client: Client, catalog: Catalog, options: ItemFormOptions) {
  const { storage, texts, onSaved, mayLeave = () => confirm('Leave without saving what is typed?') } = options;
  const { state, now, show, run } = useRun<State>(blank, (error) => ({
    status: 'failed',
    messages: said(error instanceof TypeError ? 'There was no answer. Try again.' : error.message),
  }));
  /** The key of what was sent last, to send the same again. */
  const sent = useRef({ text: '', key: '' });
  const shownOf = ({ loaded, typed }: State) =>
    loaded?.item ?? { ...catalog.defaults[typed.type === 'service' ? 'service' : 'product'], type: 'product' as const };
  const read = (one: State) => readDraft(one, shownOf(one));
  const { changes, problems, choices } = read(state);
  const unit = state.typed.unit ?? shownOf(state).unit;
  const saved: Partial<Record<InputName, number>> = {};
  for (const name of ['value', 'qty', 'cost', 'tax'] as const)
    if (changes[name] !== undefined) saved[name] = savedAmount(name, changes[name], unit, catalog);
  const isEdited = Object.keys(changes).length + Object.keys(problems).length > 0;

  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    if (isEdited) addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isEdited]);

  // The page may have been closed or reloaded before the answer to a create.
  const tell = useRef(onSaved);
  tell.current = onSaved;
  useEffect(() => {
    const left = new AbortController();
    (async () => {
      for (let item: Item | undefined; ; tell.current?.(item)) {
        item = (await resumeCreate(client, storage, { signal: left.signal }))?.data?.data;
        if (item === undefined) return;
      }
    })().catch(() => undefined); // it is sent again in the next visit
    return () => left.abort();
  }, [client, storage]);

  /** Shows an item, and over it what is typed of the one before. */
  function accept(item: Item, saved?: Draft): void {
    const { typed, custom } = rebase(now.current, shownOf(now.current), item, saved);
    show({ loaded: loadedItem(item), typed, custom });
  }

  const send = (body: Schemas['ItemChanges'], draft: Draft) =>
    run(async (show, signal) => {
      const { loaded } = now.current;
      const lost = loaded === undefined ? { body: body as Schemas['NewItem'], draft } : undefined;
      const text = JSON.stringify([loaded?.item.id, body]);
      if (sent.current.text !== text) sent.current = { text, key: newKey() };
      show({ status: 'saving', messages: said(''), lost });
      const answer: Awaited<ReturnType<typeof saveItem>> =
        loaded === undefined
          ? await createItem(client, catalog, storage, body as Schemas['NewItem'])
          : await saveItem(client, loaded, body, sent.current.key);
      if (answer.data !== undefined) onSaved?.(answer.data.data);
      if (signal.aborted) return;
      if (answer.data !== undefined) {
        sent.current = { text: '', key: '' };
        accept(answer.data.data, draft);
        const { typed, custom } = now.current;
        show({ status: custom || Object.keys(typed).length > 0 ? 'ready' : 'saved', lost: undefined });
      } else if (answer.conflict !== undefined) {
        const { item, names } = answer.conflict;
        const mine = { ...loaded?.item, ...body };
        const conflict = names.map((name) => ({ name, mine: partOf(mine, name), theirs: partOf(item, name) }));
        accept(item);
        show({ status: 'failed', conflict, messages: said(`${item.updated_by} has saved this item too.`) });
      } else {
        const { status } = answer.response;
        const open = lost && mayPass(status) ? { ...lost, isRefused: status === 401 || status === 429 } : undefined;
        show({ status: 'failed', messages: messagesOf(answer.error, texts), lost: open });
      }
    });

  async function save(): Promise<void> {
    const { loaded, lost, status, conflict, typed, custom } = now.current;
    const { changes, problems: inputs } = read(now.current);
    const body = loaded ? changes : { name: '', ...changes };
    if (status === 'saving' || status === 'loading') return;
    if (Object.keys(inputs).length > 0) return show({ status: 'failed', messages: said('', inputs) });
    if (conflict.length > 0) return show({ messages: said('First choose between both values.') });
    if (loaded && Object.keys(body).length === 0) return show({ messages: said('Nothing is changed.') });
    if (lost && JSON.stringify(lost.body) !== JSON.stringify(body)) {
      if (lost.isRefused !== true) return show({ status: 'asked' });
      forgetCreate(storage, lost.body);
    }
    await send(body, { typed, custom });
  }

  function type(name: InputName, text: string): void {
    const { [name]: _, ...inputs } = now.current.messages.inputs;
    show({ typed: { ...now.current.typed, [name]: text }, status: typing(now.current), messages: said('', inputs) });
  }

  return {
    ...state,
    isEdited,
    /** The amounts that are typed, as they will be saved. */
    saved: saved as Readonly<typeof saved>,
    /** The numbers that an ambiguous amount can be, to `choose` from. */
    choices: choices as Readonly<Partial<Record<InputName, readonly [number, number]>>>,
    choose: (name: InputName, amount: number) => type(name, inputText(amount)),
    custom: (state.custom ?? customFieldsOf(shownOf(state).metadata)).map((one) => ({
      ...one,
      reason: reasonOf(one, state.messages),
    })),
    textOf: (name: InputName): string => state.typed[name] ?? inputText((shownOf(state) as Partial<Item>)[name]),
    save,
    type,
    typeCustom: (custom: readonly CustomField[]) => show({ custom, status: typing(now.current), messages: said('') }),
    /** Opens an item, or a new one. */
    async open(id?: number): Promise<void> {
      if (isEdited && !mayLeave()) return;
      await run(async (show) => {
        show({ ...blank, status: id === undefined ? 'ready' : 'loading' });
        if (id === undefined) return;
        const loaded = await loadItem(client, id);
        show({ loaded, status: 'ready', messages: said(loaded ? '' : 'This item is no longer there.') });
      });
    },
    /** Decides a conflict for a field. */
    decide(name: string, isMine: boolean): void {
      const { conflict, loaded, typed, custom } = now.current;
      const both = conflict.find((one) => one.name === name);
      if (both === undefined || loaded === undefined) return;
      const rest = conflict.filter((one) => one !== both);
      const form = rest.length > 0 ? 'First choose between both values.' : 'Save to keep what you have chosen.';
      show({ conflict: rest, messages: said(form) });
      const value = isMine ? both.mine : both.theirs;
      const [, key] = /^metadata\.(.*)$/s.exec(name) ?? [];
      if (key !== undefined) {
        const others = (custom ?? customFieldsOf(loaded.item.metadata)).filter((one) => one.key !== key);
        show({ custom: [...others, ...(value === null ? [] : customFieldsOf({ [key]: value }))] });
      } else {
        const [first, unit = loaded.item.unit] = [value].flat();
        show({ typed: { ...typed, [name]: inputText(first), ...(name === 'qty' && { unit: inputText(unit) }) } });
      }
    },
    /** Finds or makes the item of the create that got no answer, and then changes it to what is typed. */
    async finishLost(): Promise<void> {
      const { lost } = now.current;
      if (lost && !(await send(lost.body, lost.draft))) return;
      if (now.current.loaded && Object.keys(read(now.current).changes).length > 0) await save();
    },
    /** Leaves the create that got no answer as it is, and creates what is typed as well. */
    async createAnother(): Promise<void> {
      if (now.current.lost) forgetCreate(storage, now.current.lost.body);
      show({ lost: undefined, status: 'ready' });
      await save();
    },
  };
}

/** To type while it is saved does not end that. */
const typing = ({ status }: State): State['status'] => (status === 'saving' ? status : 'ready');

function partOf(item: Schemas['ItemChanges'], name: string): unknown {
  if (name === 'qty') return [item.qty, item.unit];
  if (name.startsWith('metadata.')) return item.metadata?.[name.slice('metadata.'.length)] ?? null;
  return item[name as InputName];
}

/** What is wrong with a custom field, or deep in it. */
const reasonOf = ({ key }: CustomField, { inputs }: Messages): string | undefined =>
  Object.entries(inputs).find(([input]) => `${input}/`.startsWith(`${customInput(key)}/`))?.[1];
