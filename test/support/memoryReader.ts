import type { CatalogReader, ListedItem } from '../../lib/catalog/catalogReader.ts';
import type { Account } from '../../lib/item/account.ts';
import type { Item } from '../../lib/item/item.ts';
import { listedName } from '../../lib/item/listedName.ts';

const positionOf = ({ name, id }: Item) => ({ name: listedName(name), id });

const inOrder = ({ position: one }: ListedItem, { position: other }: ListedItem): number =>
  Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) || one.id - other.id;

/**
 * An in-memory catalog of one account that keeps the promises of `CatalogReader`. Its list filters nothing, like one
 * that lags behind its items may seem to.
 * @param account its configuration as a container has cached it
 * @param current its current configuration
 */
export function memoryReader(items: readonly Item[], account: Account, current: Account = account) {
  const asked: (keyof CatalogReader)[] = [];
  const noting = <Answer>(name: keyof CatalogReader, answer: Answer): Promise<Answer> => {
    asked.push(name);
    return Promise.resolve(answer);
  };
  const reader: CatalogReader = {
    account: () => noting('account', account),
    currentAccount: () => noting('currentAccount', current),
    findItem: (_context, id) =>
      noting(
        'findItem',
        items.find((item) => item.id === id),
      ),
    findByIdentifier: (_context, { name, text }) =>
      noting(
        'findByIdentifier',
        items.find((item) => item[name] === text),
      ),
    listItems: (_context, { limit, after }) => {
      const all = items.map((item) => ({ item, position: positionOf(item) })).toSorted(inOrder);
      const rest = all.filter((one) => after === undefined || inOrder(one, { ...one, position: after }) > 0);
      const page = rest.slice(0, limit);
      return noting('listItems', { items: page, next: rest.length > limit ? page.at(-1)?.position : undefined });
    },
  };
  return { reader, /** The methods that were called, in order. */ asked };
}
