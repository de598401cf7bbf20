import type { Item as ShownItem } from '../../../client/http/catalogClient.ts';
import { permissions } from '../../../lib/access/caller.ts';
import { presentChange } from '../../../lib/changes/recordedChange.ts';
import { presentCatalog } from '../../../lib/http/getCatalogHandler.ts';
import { presentItem } from '../../../lib/http/presenter.ts';
import { fieldChanges } from '../../../lib/item/fieldChanges.ts';
import { identifierNames } from '../../../lib/item/fields.ts';
import { applyChange, type Item } from '../../../lib/item/item.ts';
import type { JsonObject } from '../../../lib/item/json.ts';
import { itemChange, newItemFields, parseBody, unknownReferences } from '../../../lib/item/readBody.ts';
import { sampleAccount } from './sampleAccount.ts';

const caller = { account: sampleAccount.id, user: 'ann', permissions, expiresAt: 0 };

/** The service in memory, with its own rules. Ids and numbers of changes begin with 1. */
export class CatalogModel {
  account = sampleAccount;
  readonly items = new Map<number, Item>();
  readonly changes: ReturnType<typeof presentChange>[] = [];
  /** The writes that changed something, each with the number of its change. */
  readonly log: { number: number; user: string; before: Item | undefined; after: Item }[] = [];

  /**
   * Creates an item, or updates that with an id.
   * @returns `done`, or the status by which it is refused, or the item that has the identifier
   * @throws CatalogError
   */
  write(user: string, { id, revision, ...body }: JsonObject): 'done' | 412 | { holder: number } {
    const before = this.items.get(Number(id));
    if (id !== undefined && (revision ?? before?.revision) !== before?.revision) return 412;
    const after = { ...this.#written(before, parseBody(body)), updatedBy: user, updatedAt: this.log.length * 1_000 };
    for (const { id: holder, ...other } of this.items.values())
      if (holder !== after.id && identifierNames.some((name) => after[name] !== null && after[name] === other[name]))
        return { holder };
    this.items.set(after.id, after);
    const fields = fieldChanges(before, after);
    if (fields.length === 0) return 'done';
    const { id: item, ...rest } = after;
    const [number, kind] = [this.changes.length + 1, before === undefined ? 'created' : 'updated'] as const;
    this.changes.push(presentChange({ ...rest, number, item, kind, recordedAt: 0, fields }, caller));
    this.log.push({ number, user, before, after });
    return 'done';
  }

  #written(before: Item | undefined, parsed: ReturnType<typeof parseBody>): Item {
    const unknown = unknownReferences(parsed, this.account);
    if (before !== undefined) return applyChange(before, itemChange(parsed, unknown, this.account), this.account);
    const fields = newItemFields(parsed, unknown, this.account);
    return { ...fields, id: this.items.size + 1, revision: 1, createdAt: 0, updatedAt: 0, updatedBy: '' };
  }

  /** What the API shows of items. */
  shown(ids: Iterable<number>) {
    const found = [...ids].flatMap((id) => this.items.get(id) ?? []);
    return new Map(found.map((item) => [item.id, presentItem(item, null, caller) as unknown as ShownItem]));
  }

  catalog = () => presentCatalog(this.account, caller);
}
