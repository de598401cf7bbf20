import { type Item, RequestError, type RequestOptions, type Schemas } from '../http/catalogClient.ts';
import { noticeOf } from '../http/messages.ts';
import { isTransient, retryUntilDone } from '../http/retryUntilDone.ts';
import { nextTask } from '../http/wait.ts';
import { isExpired, type OpenCreate, openCreates, sendCreate } from '../items/createItem.ts';
import { loadItem } from '../items/readItems.ts';
import { ConflictError, type Saved } from '../items/saveItem.ts';
import { notify } from '../state/notify.ts';
import { Store } from '../state/store.ts';
import { type CustomField, type Draft, type InputName, inputText, readDraft, rebase } from './itemDraft.ts';
import type { FormContent, FormStep, ItemFormState } from './itemFormState.ts';
import { blank, bothOf, decided, formState, shownOf } from './itemFormState.ts';
import { failed, ItemSender, type Sending } from './itemSender.ts';

export interface ItemFormOptions extends Sending {
  /** Called when an item is saved, and the form shows it. What it throws is no failure of the save. */
  readonly onSaved?: ((item: Item) => void) | undefined;
  /** Called when a create that an earlier visit left open is refused: the item that was not created, and why. */
  readonly onRefused?: ((body: Schemas['NewItem'], error: RequestError) => void) | undefined;
  /** Asks the user whether what is typed may be lost. Without it, `open` loses it unasked. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** How soon a form tries again to load its item, in milliseconds. */
const loadInterval = 3_000;

/**
 * The form of an item. What is typed stays until it is saved: a slow answer replaces neither what was opened nor what was
 * typed since. What is sent is carried to its end, whoever still shows the form. Call `start` when the form is shown, and
 * what it returns when it is not.
 * @example const form = new ItemForm({ client, catalog }); await form.open(7); form.setValue('value', '12,50'); await form.save();
 */
export class ItemForm extends Store<ItemFormState> {
  #options: ItemFormOptions;
  #content = blank;
  readonly #sender = new ItemSender();

  constructor(options: ItemFormOptions) {
    super(formState(blank, { status: 'ready' }, options.catalog));
    this.#options = options;
  }

  /** Takes other options from now on. */
  readonly setOptions = (options: ItemFormOptions): void => {
    const { catalog } = this.#options;
    this.#options = options;
    if (options.catalog === catalog) return;
    // Shown once more for each copy of it, a component that makes one whenever it renders would never end.
    const isOther = JSON.stringify(options.catalog) !== JSON.stringify(catalog);
    if (isOther) this.#show(this.getState(), this.#content);
  };

  /**
   * Sends what earlier visits have left open, until it is answered.
   * @returns a function that stops it
   */
  readonly start = (): (() => void) => {
    const left = new AbortController();
    const options = { signal: left.signal, background: true };
    const resume = async () => {
      const { client, catalog, storage } = this.#options;
      for (const create of openCreates(client, catalog, storage)) await this.#resume(create, options);
    };
    void retryUntilDone(resume, options);
    return () => left.abort();
  };

  /** Opens an item, or a new one, unless what is typed is to stay. Tries again until it is there. */
  readonly open = async (id?: number): Promise<void> => {
    const { client, mayLeave = () => true } = this.#options;
    const state = this.getState();
    if (state.isDirty && !mayLeave()) return this.#show(state, { ...this.#content, notice: { code: 'not_left' } });
    const signal = this.startTask();
    this.#sender.leave();
    if (id === undefined) return this.#show({ status: 'ready' }, blank);
    const step = { status: 'loading', id } as const;
    this.#show(step, blank);
    const onFailure = (error: unknown) => this.#show(step, { notice: { code: 'retrying', reason: noticeOf(error) } });
    try {
      const load = () => loadItem(client, id, { signal });
      const item = await retryUntilDone(load, { signal, interval: loadInterval, onFailure });
      if (signal.aborted || item === undefined) return;
      if (item === null) this.#show({ status: 'missing', id }, { notice: { code: 'missing', id } });
      else this.#show({ status: 'ready' }, { item });
    } catch (error) {
      if (!signal.aborted) this.#show({ status: 'missing', id }, { notice: noticeOf(error) });
    }
  };

  /**
   * Types into an input, chooses from a list, or ticks.
   * @param value the text that is typed, the id of a category, `true`, or an amount: one of an error's `choices`
   */
  readonly setValue = (name: InputName, value: string | number | boolean | null): void => {
    const { draft, refused } = this.#content;
    const { [name]: _, ...others } = refused;
    const typed = { ...draft.typed, [name]: inputText(value) };
    this.#edit({ draft: { ...draft, typed }, refused: others });
  };

  /** Types into custom fields. @param custom all of them, as they are in `customFields` of the state */
  readonly setCustomFields = (custom: readonly CustomField[]): void =>
    this.#edit({ draft: { ...this.#content.draft, custom } });

  /** Gives up what is typed. */
  readonly reset = (): void => {
    const { status, item } = this.getState();
    if (isBusy(status)) return;
    this.#sender.leave();
    this.#show({ status: 'ready' }, { ...blank, item });
  };

  /**
   * Saves what is typed.
   * @param event of a `<form>`, which then loads no other page
   * @returns the item as it is saved; undefined if it is not, and the state says why
   */
  readonly save = async (event?: { preventDefault(): void }): Promise<Item | undefined> => {
    event?.preventDefault();
    const state = this.getState();
    if (isBusy(state.status)) return undefined;
    const { draft, item } = this.#content;
    const { changes, problems } = readDraft(draft, this.#shown);
    const body = item ? changes : { name: '', ...changes };
    if (Object.keys(problems).length > 0) return this.#refuse(body);
    if (state.status === 'conflict') return this.#show(state, { notice: { code: 'undecided' } });
    if (Object.keys(body).length === 0) return this.#show(state, { notice: { code: 'unchanged' } });
    return this.#send(body, draft, (options) => this.#sender.save(options, item, body, draft));
  };

  /** Decides a conflict for a field. @param name that of the conflict */
  readonly decide = (name: string, isMine: boolean): void => {
    const state = this.getState();
    if (state.status !== 'conflict') return;
    const [both] = state.conflict.filter((each) => each.name === name);
    if (both === undefined) return;
    const conflict = state.conflict.filter((each) => each !== both);
    const draft = decided(this.#content, both, isMine, this.#options.catalog);
    if (conflict.length === 0) this.#show({ status: 'ready' }, { draft, notice: { code: 'decided' } });
    else this.#show({ status: 'conflict', conflict }, { draft, notice: { code: 'undecided' } });
  };

  /**
   * Resolves the create that got no answer. `same`: finds or makes its item, and then changes that to what is typed;
   * if it is expired, it is given up, with what is typed. `new`: leaves it as it is, and creates what is typed as well.
   */
  readonly resolveUnconfirmed = async (as: 'same' | 'new'): Promise<Item | undefined> => {
    const known = this.#sender.unconfirmed;
    if (known === undefined || isBusy(this.getState().status)) return undefined;
    if (as === 'new' || isExpired(known.create)) {
      this.#sender.forget(this.#options);
      this.#show({ status: 'ready' }, as === 'new' ? {} : blank);
      return as === 'new' ? this.save() : undefined;
    }
    const { draft } = known;
    const { body } = known.create;
    const item = await this.#send(body, draft, (options) => this.#sender.save(options, undefined, body, draft));
    const state = this.getState();
    // Unless another item was opened meanwhile.
    return item !== undefined && state.item?.id === item.id && state.isDirty ? this.save() : item;
  };

  get #shown() {
    return shownOf(this.#content, this.#options.catalog);
  }

  #show(step: FormStep, content: Partial<FormContent> = {}): undefined {
    const { draft, item } = this.#content;
    this.#content = { draft, item, notice: undefined, refused: {}, ...content };
    this.setState(formState(this.#content, step, this.#options.catalog));
  }

  /** To type while it is saved does not end that, and a conflict stays to be decided. */
  #edit(content: Partial<FormContent>): void {
    const state = this.getState();
    if (state.status === 'loading' || state.status === 'missing') return;
    if (state.status === 'conflict') this.#show(state, { notice: state.notice, ...content });
    else this.#show({ status: state.status === 'saving' ? 'saving' : 'ready' }, content);
  }

  /** Shows what cannot be read, together with what the service would refuse of the rest. */
  async #refuse(body: Schemas['ItemChanges']): Promise<undefined> {
    const state = this.getState();
    const signal = this.startTask();
    this.#show({ status: 'saving' });
    const refused = await this.#sender.problemsOf(this.#options, state.item, body);
    if (!signal.aborted) this.#show(state.status === 'conflict' ? state : { status: 'failed' }, { refused });
  }

  async #send(
    body: Schemas['ItemChanges'],
    draft: Draft,
    send: (options: Sending) => Promise<Saved | undefined>,
  ): Promise<Item | undefined> {
    const signal = this.startTask();
    const before = this.#content.item;
    this.#show({ status: 'saving' });
    try {
      const saved = await send(this.#options);
      if (saved !== undefined) return await this.#accept(saved, draft, signal);
      const create = this.#sender.unconfirmed?.create;
      if (create === undefined || signal.aborted) return undefined;
      return this.#show({ status: 'unconfirmed', unconfirmed: create.body, isExpired: isExpired(create) });
    } catch (error) {
      // Another item was opened meanwhile.
      if (signal.aborted) return undefined;
      // With nothing to decide, others were faster again and again: what is typed can be saved once more.
      if (!(error instanceof ConflictError) || error.names.length === 0)
        return this.#show({ status: 'failed' }, this.#sender.isKept ? failed(error) : { notice: { code: 'not_kept' } });
      const { item, names, others } = error;
      const conflict = bothOf(names, { ...before, ...(body as Partial<Item>) }, item);
      const notice = { code: 'conflict', user: item.updated_by, others } as const;
      return this.#show({ status: 'conflict', conflict }, { draft: this.#rebased(item), item, notice });
    }
  }

  /** Sends what an earlier visit, or this form before it was hidden, has left open. @throws what is transient */
  async #resume(create: OpenCreate, options: RequestOptions): Promise<void> {
    const own = () => (create.key === this.#sender.unconfirmed?.create.key ? this.#sender.unconfirmed : undefined);
    if (own() !== undefined && this.getState().status === 'saving') return;
    const { client, storage, onSaved, onRefused } = this.#options;
    try {
      const item = await sendCreate(client, storage, create, options);
      const known = own();
      if (known === undefined) return notify(onSaved, item);
      this.#sender.leave();
      await this.#accept({ item, others: [] }, known.draft, this.startTask());
    } catch (error) {
      if (!(error instanceof RequestError) || isTransient(error.status)) throw error;
      if (own() === undefined) return notify(onRefused, create.body, error);
      this.#sender.leave();
      this.#show({ status: 'failed' }, failed(error));
    }
  }

  #rebased(now: Item, sent?: Draft): Draft {
    return rebase(this.#content.draft, this.#shown, now, sent);
  }

  /** Shows what is saved before it is told: then nothing that leaves the page is held up as unsaved. */
  async #accept({ item, others }: Saved, sent: Draft, signal: AbortSignal): Promise<Item> {
    if (!signal.aborted) {
      const draft = this.#rebased(item, sent);
      const isOpen = draft.custom !== undefined || Object.keys(draft.typed).length > 0;
      const notice = others.length > 0 ? ({ code: 'others', others } as const) : undefined;
      this.#show({ status: isOpen ? 'ready' : 'saved' }, { draft, item, notice });
      await nextTask();
    }
    notify(this.#options.onSaved, item);
    return item;
  }
}

const isBusy = (status: FormStep['status']): boolean => ['saving', 'loading', 'missing'].includes(status);
