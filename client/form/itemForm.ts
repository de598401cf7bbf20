import { dataOf, type Item, noticeOf, type OthersChange, type Schemas } from '../http/catalogClient.ts';
import type { RequestOptions } from '../http/requestOptions.ts';
import { isTransient, retryUntilDone } from '../http/retryUntilDone.ts';
import { nextTask } from '../http/wait.ts';
import { type OpenCreate, openCreates, sendCreate } from '../items/openCreates.ts';
import { loadedItem, loadItem } from '../items/readItems.ts';
import { notify } from '../state/notify.ts';
import { Store } from '../state/store.ts';
import {
  type CustomField,
  type Draft,
  type InputName,
  inputText,
  type Problems,
  readDraft,
  rebase,
} from './itemDraft.ts';
import {
  blank,
  bothOf,
  decided,
  type FormContent,
  type FormStep,
  formState,
  type ItemFormState,
  inputTextOf,
  shownOf,
} from './itemFormState.ts';
import { ItemSender, type Sending } from './itemSender.ts';

export interface ItemFormOptions extends Sending {
  /** Called when an item is saved, and the form shows it. What it throws is no failure of the save. */
  readonly onSaved?: ((item: Item) => void) | undefined;
  /** Asks whether what is typed may be lost. */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** How soon a form tries again to load its item, in milliseconds. */
const loadInterval = 3_000;

/**
 * The form of an item. What is typed stays until it is saved: a slow answer replaces neither what was opened nor what was
 * typed since. What is sent is carried to its end, whoever still shows the form.
 * @example const form = new ItemForm({ client, catalog }); await form.open(7); form.type('value', '12,50'); await form.save();
 */
export class ItemForm extends Store<ItemFormState> {
  #options: ItemFormOptions;
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
    if (isOther) this.#show(this.getState(), this.getState());
  };

  /**
   * Sends what earlier visits have left open, until it is answered.
   * @returns what stops it
   */
  readonly start = (): (() => void) => {
    const left = new AbortController();
    const options = { signal: left.signal, background: true };
    const resume = async () => {
      const { catalog, storage } = this.#options;
      for (const create of openCreates(catalog, storage)) await this.#resume(create, options);
    };
    void retryUntilDone(resume, options);
    return () => left.abort();
  };

  /** Opens an item, or a new one, unless what is typed is to stay. Tries again until it is there. */
  readonly open = async (id?: number): Promise<void> => {
    const { client, mayLeave = () => true } = this.#options;
    if (this.getState().isEdited && !mayLeave()) return;
    const signal = this.startTask();
    this.#sender.lost = undefined;
    if (id === undefined) return this.#show({ status: 'ready' }, blank);
    const step = { status: 'loading', id } as const;
    this.#show(step, blank);
    const onFailure = (error: unknown) => this.#show(step, { notice: { code: 'retrying', reason: noticeOf(error) } });
    try {
      const load = () => loadItem(client, id, { signal });
      const loaded = await retryUntilDone(load, { signal, interval: loadInterval, onFailure });
      if (signal.aborted || loaded === undefined) return;
      if (loaded === null) this.#show({ status: 'missing', id }, { notice: { code: 'missing', id } });
      else this.#show({ status: 'ready' }, { loaded });
    } catch (error) {
      if (!signal.aborted) this.#show({ status: 'missing', id }, { notice: noticeOf(error) });
    }
  };

  /** Types into an input. To choose from a list or to tick is to type, too: the id of a category, or `true`. */
  readonly type = (name: InputName, text: string): void => {
    const { typed, refused } = this.getState();
    const { [name]: _, ...others } = refused;
    this.#edit({ typed: { ...typed, [name]: text }, refused: others });
  };

  /** Types into custom fields. @param custom all of them */
  readonly typeCustom = (custom: readonly CustomField[]): void => this.#edit({ custom });

  /** Says which number an ambiguous text is. */
  readonly choose = (name: InputName, amount: number): void => this.type(name, inputText(amount));

  /** What an input shows. @param name of a field of the item, such as `value`; custom fields are in `custom` */
  readonly textOf = (name: InputName): string => inputTextOf(this.getState(), name, this.#options.catalog);

  /** Gives up what is typed. */
  readonly discard = (): void => {
    const { status, loaded } = this.getState();
    if (isBusy(status)) return;
    this.#sender.lost = undefined;
    this.#show({ status: 'ready' }, { ...blank, loaded });
  };

  /** @returns the item as it is saved; undefined if it is not, and the state says why */
  readonly save = async (): Promise<Item | undefined> => {
    const state = this.getState();
    if (isBusy(state.status)) return undefined;
    const { changes, problems } = readDraft(state, shownOf(state, this.#options.catalog));
    const body = state.loaded ? changes : { name: '', ...changes };
    if (Object.keys(problems).length > 0) return this.#refuse(body, problems);
    if (state.status === 'conflict') return this.#show(state, { notice: { code: 'undecided' } });
    if (Object.keys(body).length === 0) return this.#show(state, { notice: { code: 'unchanged' } });
    const { lost } = this.#sender;
    if (lost !== undefined && this.#sender.isOther(body)) {
      if (!lost.isRefused) return this.#show({ status: 'asked', lost: lost.create.body });
      this.#sender.forget(this.#options);
    }
    return this.#send(body, state);
  };

  /** Decides a conflict for a field. @param name that of the conflict */
  readonly decide = (name: string, isMine: boolean): void => {
    const state = this.getState();
    if (state.status !== 'conflict') return;
    const [both] = state.conflict.filter((each) => each.name === name);
    if (both === undefined) return;
    const conflict = state.conflict.filter((each) => each !== both);
    const draft = decided(state, both, isMine, this.#options.catalog);
    if (conflict.length === 0) this.#show({ status: 'ready' }, { ...draft, notice: { code: 'decided' } });
    else this.#show({ status: 'conflict', conflict }, { ...draft, notice: { code: 'undecided' } });
  };

  /** Finds or makes the item of the create that got no answer, and then changes it to what is typed. */
  readonly finishLost = async (): Promise<Item | undefined> => {
    const { lost } = this.#sender;
    if (lost === undefined || isBusy(this.getState().status)) return undefined;
    const item = await this.#send(lost.create.body, lost.draft);
    const { loaded, isEdited } = this.getState();
    // Unless another item was opened meanwhile.
    return item !== undefined && loaded?.item.id === item.id && isEdited ? this.save() : item;
  };

  /** Leaves the create that got no answer as it is, and creates what is typed as well. */
  readonly createAnother = async (): Promise<Item | undefined> => {
    if (isBusy(this.getState().status)) return undefined;
    this.#sender.forget(this.#options);
    this.#show({ status: 'ready' });
    return this.save();
  };

  #show(step: FormStep, content: Partial<FormContent> = {}): undefined {
    const { typed, custom, loaded } = this.getState();
    const shown = { typed, custom, loaded, notice: undefined, refused: {}, ...content };
    this.setState(formState(shown, step, this.#options.catalog));
  }

  /** To type while it is saved does not end that, and a conflict stays to be decided. */
  #edit(content: Partial<FormContent>): void {
    const state = this.getState();
    if (state.status === 'loading' || state.status === 'missing') return;
    if (state.status === 'conflict') this.#show(state, { notice: state.notice, ...content });
    else this.#show({ status: state.status === 'saving' ? 'saving' : 'ready' }, content);
  }

  /** Says what cannot be read, together with what the service would refuse of the rest. */
  async #refuse(body: Schemas['ItemChanges'], unread: Problems): Promise<undefined> {
    const state = this.getState();
    const signal = this.startTask();
    this.#show({ status: 'saving' });
    const refused = await this.#sender.problemsOf(this.#options, state.loaded, body);
    const step = state.status === 'conflict' ? state : ({ status: 'failed' } as const);
    if (!signal.aborted) this.#show(step, { refused: { ...refused, ...unread } });
  }

  async #send(body: Schemas['ItemChanges'], draft: Draft): Promise<Item | undefined> {
    const signal = this.startTask();
    const { loaded } = this.getState();
    this.#show({ status: 'saving' });
    const outcome = await this.#sender.send(this.#options, loaded, body, draft);
    if ('item' in outcome) return this.#accept(outcome.item, draft, outcome.others, signal);
    // Another item was opened meanwhile.
    if (signal.aborted) return undefined;
    if ('refused' in outcome) return this.#show({ status: 'failed' }, outcome);
    const { conflict, others } = outcome;
    const { item, names } = conflict;
    const both = bothOf(names, { ...loaded?.item, ...(body as Partial<Item>) }, item);
    const notice = { code: 'conflict', user: item.updated_by, others } as const;
    const content = { ...this.#rebased(item), loaded: loadedItem(item), notice };
    return this.#show({ status: 'conflict', conflict: both }, content);
  }

  /** Sends what an earlier visit, or this form before it was hidden, has left open. @throws what may pass */
  async #resume(create: OpenCreate, options: RequestOptions): Promise<void> {
    const isOwn = () => create.key === this.#sender.lost?.create.key;
    if (isOwn() && this.getState().status === 'saving') return;
    const answer = await sendCreate(this.#options.client, this.#options.storage, create, options);
    if (isTransient(answer.response.status)) dataOf(answer);
    if (answer.data === undefined) return;
    const { lost } = this.#sender;
    if (lost !== undefined && isOwn()) {
      this.#sender.lost = undefined;
      await this.#accept(answer.data.data, lost.draft, [], this.startTask());
    } else notify(this.#options.onSaved, answer.data.data);
  }

  #rebased(now: Item, sent?: Draft): Draft {
    const state = this.getState();
    return rebase(state, shownOf(state, this.#options.catalog), now, sent);
  }

  /** Shows what is saved before it is told: then nothing that leaves the page is held up as unsaved. */
  async #accept(item: Item, sent: Draft, others: readonly OthersChange[], signal: AbortSignal): Promise<Item> {
    if (!signal.aborted) {
      const { typed, custom } = this.#rebased(item, sent);
      const isOpen = custom !== undefined || Object.keys(typed).length > 0;
      const notice = others.length > 0 ? ({ code: 'others', others } as const) : undefined;
      this.#show({ status: isOpen ? 'ready' : 'saved' }, { typed, custom, loaded: loadedItem(item), notice });
      await nextTask();
    }
    notify(this.#options.onSaved, item);
    return item;
  }
}

const isBusy = (status: FormStep['status']): boolean => ['saving', 'loading', 'missing'].includes(status);
