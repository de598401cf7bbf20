import { canonicalJson, type Json } from '../../lib/item/json.ts';
import type { CallerStorage, Catalog, Client, FieldError, Item, Schemas } from '../http/catalogClient.ts';
import { newKey, RequestError } from '../http/catalogClient.ts';
import { inputOf, type Notice, noticeOf } from '../http/messages.ts';
import { isTransient } from '../http/retryUntilDone.ts';
import type { OpenCreate } from '../items/createItem.ts';
import { beginCreate, isEqualBody, isExpired, sendCreate, storedCreates } from '../items/createItem.ts';
import { type Saved, saveItem } from '../items/saveItem.ts';
import type { Draft, Problems } from './itemDraft.ts';

type Body = Schemas['ItemChanges'];

/** The dependencies of sending. */
export interface Sending {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly storage?: CallerStorage | undefined;
}

/** A create that is not answered, with what was typed then. */
interface Unconfirmed {
  readonly create: OpenCreate;
  readonly draft: Draft;
  /** False if only this page keeps it. */
  readonly isSaved: boolean;
  /** True if it was certainly not carried out, such as at a 401. */
  readonly isRefused: boolean;
}

/**
 * Sends what a form saves. What got no answer is sent again with its key, so that nothing is written twice. Nobody else
 * knows which create is unconfirmed.
 */
export class ItemSender {
  #unconfirmed: Unconfirmed | undefined;
  #sent = { text: '', key: '' };

  /** The create that got no answer, with what was typed then. */
  get unconfirmed(): Pick<Unconfirmed, 'create' | 'draft'> | undefined {
    return this.#unconfirmed;
  }

  /** False if a create that got no answer would be forgotten if the page were loaded again. */
  get isKept(): boolean {
    const { isSaved, isRefused } = this.#unconfirmed ?? { isSaved: true, isRefused: true };
    return isSaved || isRefused;
  }

  /** Another item is shown. The next visit sends what is unconfirmed. */
  leave(): void {
    this.#unconfirmed = undefined;
  }

  /** Leaves the create that got no answer as it is, for good. */
  forget({ storage }: Sending): void {
    if (this.#unconfirmed !== undefined) storedCreates(storage).write(this.#unconfirmed.create.key, undefined);
    this.#unconfirmed = undefined;
  }

  /**
   * Saves what is typed, unless a create that got no answer may have made that item, or another one, already.
   * @param item undefined for a new one
   * @param draft what is typed, of which the body is read
   * @returns undefined if that has to be resolved first
   * @throws ConflictError, RequestError
   */
  async save(sending: Sending, item: Item | undefined, body: Body, draft: Draft): Promise<Saved | undefined> {
    if (item !== undefined) return this.#update(sending, item, body);
    const known = this.#unconfirmed;
    if (known !== undefined && (isExpired(known.create) || !isEqualBody(known.create.body, body))) {
      if (!known.isRefused) return undefined;
      this.forget(sending);
    }
    return this.#create(sending, body as Schemas['NewItem'], draft);
  }

  /** What the service would refuse, by a dry run. Without an answer, nothing is known of it. */
  async problemsOf({ client }: Sending, item: Item | undefined, body: Body): Promise<Problems> {
    const row = { id: item?.id, ...body } as Schemas['Row'];
    const sent = { params: { header: {} }, body: { dry_run: true, rows: [row] } };
    const answer = await client.POST('/api/v1/api/v1/items/batch', sent).catch(() => undefined);
    return problemsIn(answer?.data?.data[0]?.error?.fields ?? []);
  }

  async #create(sending: Sending, body: Schemas['NewItem'], draft: Draft): Promise<Saved | undefined> {
    const { client, catalog, storage } = sending;
    const { create, isSaved } = this.#unconfirmed ?? beginCreate(client, catalog, storage, body);
    const sent: Unconfirmed = { create, draft, isSaved, isRefused: false };
    this.#unconfirmed = sent;
    if (isExpired(create)) return undefined;
    let open: Unconfirmed | undefined;
    try {
      return { item: await sendCreate(client, storage, create), others: [] };
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 0;
      if (isTransient(status)) open = { ...sent, isRefused: status === 401 || status === 429 };
      throw error;
    } finally {
      // Unless another item was opened meanwhile.
      if (this.#unconfirmed === sent) this.#unconfirmed = open;
    }
  }

  /** A key is that of the changes to one revision: those to a later one are others. */
  async #update({ client }: Sending, item: Item, changes: Body): Promise<Saved> {
    const text = canonicalJson([item.id, item.revision, changes as Json]);
    if (this.#sent.text !== text) this.#sent = { text, key: newKey() };
    const saved = await saveItem(client, { item, changes, key: this.#sent.key });
    this.#sent = { text: '', key: '' };
    return saved;
  }
}

/** What a form shows of what was thrown: at its inputs, or above them. */
export function failed(error: unknown): { readonly notice: Notice | undefined; readonly refused: Problems } {
  const fields = error instanceof RequestError ? error.fields : undefined;
  return fields === undefined
    ? { notice: noticeOf(error), refused: {} }
    : { notice: undefined, refused: problemsIn(fields) };
}

const problemsIn = (fields: readonly FieldError[]): Problems =>
  Object.fromEntries(fields.map((field) => [inputOf(field), field]));
