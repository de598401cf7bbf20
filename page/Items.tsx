import { type Item, type Notice, noticeOf } from 'catalog-client';
import type { useItems } from 'catalog-client/react';
import type { ListQuery } from 'catalog-client/readItems';
import { writeItems } from 'catalog-client/readSheet';
import { useState } from 'react';
import { Button, Checkbox, Control, download, Field, type Order, Table, type TableRow } from './elements.tsx';
import { usePage } from './language.ts';
import { addressOf, go, type Route } from './route.ts';

/** The search. The service filters by all but the text. */
type Wanted = { readonly text: string } & Pick<ListQuery, 'category' | 'type' | 'include_inactive'>;

export const everything: Wanted = { text: '' };

interface Props {
  readonly wanted: Wanted;
  readonly want: (wanted: Wanted) => void;
  readonly list: ReturnType<typeof useItems>;
  /** The one that is shown beside the list. */
  readonly item: Route['item'];
}

export function Items({ list, wanted, want, item }: Props) {
  const { say, notice, may } = usePage();
  const { items, hasMore, isFetching, loadMore } = list;
  const [exportFailure, setExportFailure] = useState<Notice>();
  const problem = exportFailure ?? list.notice;
  const exportItems = async (): Promise<void> => {
    setExportFailure(undefined);
    const found = await list.findAll().catch((error) => setExportFailure(noticeOf(error)));
    if (found) download('items.csv', writeItems(found));
  };
  const isSearched = Object.values(wanted).some((each) => each !== undefined && each !== '');
  const isNone = items.length === 0 && problem === undefined && !isFetching;
  const isByWords = list.searchedBy === 'words';
  const statusText = (): string => {
    const count = items.length > 0 ? say(hasMore ? 'count_more' : 'count', { count: items.length }) : '';
    if (problem !== undefined) return notice(problem);
    if (isFetching) return `${count} ${say('loading')}`;
    if (!isNone) return count;
    if (!isSearched) return say('empty');
    return isByWords || wanted.text === '' ? say('not_found') : say('no_beginning', { text: wanted.text });
  };
  /** A new item is called by what was searched and not found, unless it may be there by another word or filter. */
  const isFiltered = wanted.category !== undefined || wanted.type !== undefined;
  const name = isNone && isByWords && !isFiltered ? wanted.text : '';
  const create = name === '' ? say('new_item') : say('create_named', { name });
  const mayEdit = may('catalog:edit');
  return (
    <article id="list" aria-label={say('items')}>
      <Search {...{ list, wanted, want }} />
      <div className="row">
        <small className="rest" role="status">
          {statusText()}
        </small>
        {isNone && isSearched && <Button text={say('clear')} onClick={() => want(everything)} />}
        {mayEdit && isNone && !isSearched && <Button text={say('import')} onClick={() => go('#/import')} />}
        {items.length > 0 && <Button className="quiet" text={say('export')} onClick={exportItems} />}
        {mayEdit && (
          <Button
            className={item === undefined ? 'main' : 'outline'}
            text={create}
            onClick={() => go(addressOf('new', name))}
          />
        )}
      </div>
      {items.length > 0 && <ItemTable items={items} item={item} />}
      {hasMore && <Button text={say('show_more')} onClick={loadMore} />}
    </article>
  );
}

function Search({ list, wanted, want }: Omit<Props, 'item'>) {
  const { say, texts, catalog } = usePage();
  const categories = catalog.categories.map(({ id, name }) => [String(id), name] as const);
  return (
    <search className="row">
      <Field
        id="search"
        type="search"
        label={say(list.searchedBy === 'words' ? 'search_words' : 'search_beginning')}
        value={wanted.text}
        onType={(text) => want({ ...wanted, text })}
      />
      <Control
        aria-label={say('every_category')}
        value={wanted.category ?? ''}
        options={[['', say('every_category')], ...categories]}
        onType={(id) => want({ ...wanted, category: id === '' ? undefined : Number(id) })}
      />
      <Control
        aria-label={say('every_type')}
        value={wanted.type ?? ''}
        options={[['', say('every_type')], ...Object.entries(texts.types)]}
        onType={(type) => want({ ...wanted, type: type === '' ? undefined : (type as Item['type']) })}
      />
      <Checkbox
        id="all"
        label={say('also_inactive')}
        checked={wanted.include_inactive === true}
        onPick={(all) => want({ ...wanted, include_inactive: all || undefined })}
      />
    </search>
  );
}

function ItemTable({ items, item }: { items: readonly Item[]; item: Route['item'] }) {
  const { code, say, label, amount, ago, time } = usePage();
  const [order, setOrder] = useState<Order>();
  const rows = inOrder(items, order, code).map((each): TableRow => {
    const { id, name, sku, category_name, value, active, updated_at, updated_by } = each;
    const link = (
      <a key="link" href={addressOf(id)} title={name} aria-current={id === item ? 'true' : undefined}>
        {!active && <mark>{say('inactive')}</mark>} <span>{name}</span>
      </a>
    );
    const changed = (
      <small key="changed" title={time(updated_at)}>
        {say('changed_by', { time: ago(updated_at), user: updated_by })}
      </small>
    );
    return [id, link, sku, category_name, amount(value), changed];
  });
  const head = columns.map((name) => [name, name === 'when' ? say('changed') : label(name)] as const);
  /** Pressed again, it sorts the other way round. */
  const sort = (column: string) => {
    const isAgain = order?.column === column && order.direction === 'ascending';
    setOrder({ column, direction: isAgain ? 'descending' : 'ascending' });
  };
  return <Table id="items" head={head} rows={rows} order={order} onSort={sort} />;
}

const columns = ['name', 'sku', 'category', 'value', 'when'] as const;

/** @returns the loaded items in the order of a column, those without a value last */
function inOrder(items: readonly Item[], order: Order | undefined, code: string): readonly Item[] {
  if (order === undefined) return items;
  const shownIn = ({ name, sku, category_name, value, updated_at }: Item) =>
    ({ name, sku, category: category_name, value, when: updated_at })[order.column as (typeof columns)[number]];
  const collator = new Intl.Collator(code, { numeric: true });
  return [...items].sort((one, other) => {
    const [a, b] = [shownIn(one) ?? '', shownIn(other) ?? ''];
    if (a === '' || b === '') return Number(a === '') - Number(b === '');
    const difference = typeof a === 'number' ? a - Number(b) : collator.compare(String(a), String(b));
    return order.direction === 'descending' ? -difference : difference;
  });
}

/** Returns the focus to the place in the list from which an item was opened. */
export const focusItem = (item: Route['item']) =>
  item && document.querySelector<HTMLElement>(`#items [href="${addressOf(item)}"]`)?.focus();
