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
import { forgetCreate } from '../items/createItem.ts';
import { beginCreate, type OpenCreate, sendCreate } from '../items/openCreates.ts';
import type { LoadedItem } from '../items/readItems.ts';
import { type Conflict, type Saved, saveItem } from '../items/saveItem.ts';
import type { Draft, Problems } from './itemDraft.ts';

/** What is needed to send. */
export interface Sending {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly storage?: CallerStorage | undefined;
}

/** A create that is not answered, with what was typed then. */
export interface LostCreate {
  readonly create: OpenCreate;
  readonly draft: Draft;
  /** Whether the storage keeps it. */
  readonly isKept: boolean;
  /** Whether it was certainly not carried out, such as at a 401. */
  readonly isRefused: boolean;
}

/** What has become of what was sent: it is saved, others have changed the same, or it failed. */
export type Outcome =
  | { readonly item: Item; readonly others: readonly OthersChange[] }
  | { readonly conflict: Conflict; readonly others: readonly OthersChange[] }
  | { readonly notice: Notice | undefined; readonly refused: Problems };

/** Sends what a form saves. What got no answer is sent again with its key, so that nothing is written twice. */
export class ItemSender {
  lost: LostCreate | undefined;
  #sent = { text: '', key: '' };

  /** @param loaded undefined for a new item @param draft what is typed, of which the body is read */
  async send(
    sending: Sending,
    loaded: LoadedItem | undefined,
    body: Schemas['ItemChanges'],
    draft: Draft,
  ): Promise<Outcome> {
    try {
      const isNew = loaded === undefined;
      return this.#outcomeOf(
        isNew
          ? await this.#create(sending, body as Schemas['NewItem'], draft)
          : await this.#update(sending, loaded, body),
      );
    } catch (error) {
      return this.#failed(noticeOf(error));
    }
  }

  /** What the service would refuse, by a dry run. Without an answer, nothing is known of it. */
  async problemsOf(
    { client }: Sending,
    loaded: LoadedItem | undefined,
    body: Schemas['ItemChanges'],
  ): Promise<Problems> {
    const row = { id: loaded?.item.id, ...body } as Schemas['Row'];
    const sent = { params: { header: {} }, body: { dry_run: true, rows: [row] } };
    const answer = await client.POST('/api/v1/api/v1/items/batch', sent).catch(() => undefined);
    return problemsIn(answer?.data?.data[0]?.error?.fields ?? []);
  }

  async #create(sending: Sending, body: Schemas['NewItem'], draft: Draft): Promise<Saved> {
    const { client, catalog, storage } = sending;
    const { create, isKept } =
      this.lost === undefined || this.isOther(body) ? beginCreate(catalog, storage, body) : this.lost;
    const lost: LostCreate = { create, draft, isKept, isRefused: false };
    this.lost = lost;
    const answer = await sendCreate(client, storage, create);
    const { status } = answer.response;
    const open = isTransient(status) ? { ...lost, isRefused: status === 401 || status === 429 } : undefined;
    // Unless another item was opened meanwhile.
    if (this.lost === lost) this.lost = open;
    return { ...answer, others: [] };
  }

  async #update({ client }: Sending, loaded: LoadedItem, body: Schemas['ItemChanges']): Promise<Saved> {
    const text = JSON.stringify([loaded.item.id, body]);
    if (this.#sent.text !== text) this.#sent = { text, key: newKey() };
    const answer = await saveItem(client, loaded, body, this.#sent.key);
    if (answer.data !== undefined) this.#sent = { text: '', key: '' };
    return answer;
  }

  #outcomeOf({ data, error, response, conflict, others }: Saved): Outcome {
    if (data !== undefined) return { item: data.data, others };
    // Others were faster again and again, and there is nothing to decide: what is typed can be saved once more.
    if (conflict !== undefined && conflict.names.length > 0) return { conflict, others };
    const { fields } = error.error;
    if (fields === undefined) return this.#failed(noticeOf(new RequestError(response, error)));
    return { notice: undefined, refused: problemsIn(fields) };
  }

  #failed(notice: Notice): Outcome {
    const isKept = this.lost === undefined || this.lost.isKept || this.lost.isRefused;
    return { notice: isKept ? notice : { code: 'not_kept' }, refused: {} };
  }

  /** Whether a new item is another one than that of the create that got no answer. */
  isOther(body: Schemas['ItemChanges']): boolean {
    return this.lost !== undefined && JSON.stringify(this.lost.create.body) !== JSON.stringify(body);
  }

  /** Leaves the create that got no answer as it is. */
  forget({ storage }: Sending): void {
    if (this.lost !== undefined) forgetCreate(storage, this.lost.create);
    this.lost = undefined;
  }
}

const problemsIn = (fields: readonly FieldError[]): Problems =>
  Object.fromEntries(fields.map((field) => [inputOf(field), field]));
