import { canonicalJson, type Json } from '../../lib/item/json.ts';
import {
  type CallerStorage,
  type Catalog,
  type Client,
  type FieldError,
  type Item,
  type Notice,
  newKey,
  noticeOf,
  type OthersChange,
  RequestError,
  type Schemas,
} from '../http/catalogClient.ts';
import { inputOf } from '../http/messages.ts';
import { isTransient } from '../http/retryUntilDone.ts';
import {
  beginCreate,
  forgetCreate,
  isEqualBody,
  isExpired,
  type OpenCreate,
  sendCreate,
} from '../items/openCreates.ts';
import { ConflictError, saveItem } from '../items/saveItem.ts';
import type { Draft, Problems } from './itemDraft.ts';

type Body = Schemas['ItemChanges'];

/** What is needed to send. */
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

/** What has become of what was sent: it is saved, others have changed the same, it may exist, or it failed. */
export type Outcome =
  | { readonly item: Item; readonly others: readonly OthersChange[] }
  | { readonly conflict: ConflictError }
  | { readonly unconfirmed: OpenCreate }
  | Failed;

interface Failed {
  readonly notice: Notice | undefined;
  readonly refused: Problems;
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

  /** Another item is shown. The next visit sends what is unconfirmed. */
  leave(): void {
    this.#unconfirmed = undefined;
  }

  /** Leaves the create that got no answer as it is, for good. */
  forget({ storage }: Sending): void {
    if (this.#unconfirmed !== undefined) forgetCreate(storage, this.#unconfirmed.create);
    this.#unconfirmed = undefined;
  }

  /**
   * Saves what is typed, unless a create that got no answer may have made that item, or another one, already.
   * @param item undefined for a new one
   * @param draft what is typed, of which the body is read
   */
  async save(sending: Sending, item: Item | undefined, body: Body, draft: Draft): Promise<Outcome> {
    if (item !== undefined) return this.#update(sending, item, body);
    const known = this.#unconfirmed;
    if (known !== undefined && (isExpired(known.create) || !isEqualBody(known.create.body, body))) {
      if (!known.isRefused) return { unconfirmed: known.create };
      this.forget(sending);
    }
    return this.#create(sending, body as Schemas['NewItem'], draft);
  }

  /** Sends the create that got no answer again, whatever is typed by now. */
  async resend(sending: Sending, { create, draft }: Pick<Unconfirmed, 'create' | 'draft'>): Promise<Outcome> {
    return this.#create(sending, create.body, draft);
  }

  /** What the service would refuse, by a dry run. Without an answer, nothing is known of it. */
  async problemsOf({ client }: Sending, item: Item | undefined, body: Body): Promise<Problems> {
    const row = { id: item?.id, ...body } as Schemas['Row'];
    const sent = { params: { header: {} }, body: { dry_run: true, rows: [row] } };
    const answer = await client.POST('/api/v1/api/v1/items/batch', sent).catch(() => undefined);
    return problemsIn(answer?.data?.data[0]?.error?.fields ?? []);
  }

  async #create(sending: Sending, body: Schemas['NewItem'], draft: Draft): Promise<Outcome> {
    const { client, catalog, storage } = sending;
    const { create, isSaved } = this.#unconfirmed ?? beginCreate(catalog, storage, body);
    const sent: Unconfirmed = { create, draft, isSaved, isRefused: false };
    this.#unconfirmed = sent;
    if (isExpired(create)) return { unconfirmed: create };
    let open: Unconfirmed | undefined = sent;
    try {
      const item = await sendCreate(client, storage, create);
      open = undefined;
      return { item, others: [] };
    } catch (error) {
      const status = error instanceof RequestError ? error.status : 0;
      if (!isTransient(status)) open = undefined;
      else open = { ...sent, isRefused: status === 401 || status === 429 };
      const isSafe = open === undefined || isSaved || open.isRefused;
      return isSafe ? failed(error) : { notice: { code: 'not_kept' }, refused: {} };
    } finally {
      // Unless another item was opened meanwhile.
      if (this.#unconfirmed === sent) this.#unconfirmed = open;
    }
  }

  /** A key is that of the changes to one revision: those to a later one are others. */
  async #update({ client }: Sending, item: Item, changes: Body): Promise<Outcome> {
    const text = canonicalJson([item.id, item.revision, changes as Json]);
    if (this.#sent.text !== text) this.#sent = { text, key: newKey() };
    try {
      const saved = await saveItem(client, { item, changes, key: this.#sent.key });
      this.#sent = { text: '', key: '' };
      return saved;
    } catch (error) {
      // With nothing to decide, others were faster again and again: what is typed can be saved once more.
      return error instanceof ConflictError && error.names.length > 0 ? { conflict: error } : failed(error);
    }
  }
}

/** What a form shows of what was thrown: at its inputs, or above them. */
export function failed(error: unknown): Failed {
  const fields = error instanceof RequestError ? error.fields : undefined;
  return fields === undefined
    ? { notice: noticeOf(error), refused: {} }
    : { notice: undefined, refused: problemsIn(fields) };
}

const problemsIn = (fields: readonly FieldError[]): Problems =>
  Object.fromEntries(fields.map((field) => [inputOf(field), field]));
