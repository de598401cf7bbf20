import { appendFileSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { OpenStore } from '../../lib/catalog/catalogReader.ts';
import type { ItemWriter } from '../../lib/catalog/catalogStore.ts';
import { CatalogError } from '../../lib/item/errors.ts';
import { idempotencyLifetime } from '../../lib/item/limits.ts';

/** An item that a row is about to update, as it was found. */
interface Found {
  readonly id: number;
  readonly revision: number;
}

/**
 * The items that keyed rows have matched, by the keys of the rows, in a file to which each is added before it is updated.
 * After a day, the keys are used anew, and so is the file.
 */
export function rowsUnderWay(path: string) {
  const all = new Map<string, Found>();
  if (existsSync(path) && statSync(path).mtimeMs < Date.now() - idempotencyLifetime * 1_000) rmSync(path);
  if (existsSync(path)) {
    // The last line may not be complete. What it was to note was not sent.
    for (const [, id, revision, key = ''] of readFileSync(path, 'utf8').matchAll(/^(\d+) (\d+) (.+);$/gm))
      all.set(key, { id: Number(id), revision: Number(revision) });
    appendFileSync(path, '\n');
  }
  return {
    get: (key: string): Found | undefined => all.get(key),
    add(key: string, { id, revision }: Found): void {
      appendFileSync(path, `${id} ${revision} ${key};\n`);
      all.set(key, { id, revision });
    },
  };
}

export type RowsUnderWay = ReturnType<typeof rowsUnderWay>;

/**
 * A row that was under way when an import was killed updates the item that it had matched then, at the revision that this
 * had: an item forgets the key of an update after four others, and would be updated again over what these have written.
 */
export const notingRows =
  (openStore: OpenStore<ItemWriter>, rows: RowsUnderWay): OpenStore<ItemWriter> =>
  (context) => {
    const store = openStore(context);
    let isFirst = true;
    let before: Found | undefined;
    return {
      ...store,
      async findMatch(identifier, key) {
        if (isFirst) before = rows.get(key);
        isFirst = false;
        if (before !== undefined) return store.findItem(before.id);
        const found = await store.findMatch(identifier, key);
        if (typeof found === 'object') rows.add(key, found);
        return found;
      },
      async modifyItem(modification) {
        if (before === undefined) return store.modifyItem(modification);
        const revisions = [before.revision];
        const modified = await store.modifyItem({ ...modification, match: undefined, revisions });
        if (!modified.isOutdated) return modified;
        const message = `may have been written before, and item ${before.id} has changed since: compare it with the row`;
        throw new CatalogError('VALIDATION_FAILED', { message });
      },
    };
  };
