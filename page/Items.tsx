import type { Item } from 'catalog-client';
import type { useItems } from 'catalog-client/react';
import type { ListQuery } from 'catalog-client/readItems';
import { Button, Checkbox, Control, Field, Table, type TableRow } from './elements.tsx';
import { usePage } from './language.ts';
import { addressOf, go, type Route } from './route.ts';

/** What is searched. All but the text is filtered by the service. */
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
  const { items, isMore, isBusy, failure, showMore } = list;
  const isSearched = Object.values(wanted).some((each) => each !== undefined && each !== '');
  const isNone = items.length === 0 && failure === undefined && !isBusy;
  const count = say(isMore ? 'count_more' : 'count', { count: items.length });
  const found = isNone ? say(isSearched ? 'not_found' : 'empty') : items.length > 0 ? count : say('loading');
  /** A new item is called by what was searched and not found. */
  const name = isNone ? wanted.text : '';
  const create = name === '' ? say('new_item') : say('create_named', { name });
  const mayEdit = may('catalog:edit');
  return (
    <article id="list" aria-label={say('items')}>
      <Search {...{ list, wanted, want }} />
      <div className="row">
        <small className="rest" role="status">
          {failure === undefined ? found : notice(failure)}
        </small>
        {isNone && isSearched && <Button text={say('clear')} onClick={() => want(everything)} />}
        {mayEdit && isNone && !isSearched && <Button text={say('import')} onClick={() => go('#/import')} />}
        {mayEdit && <Button className="main" text={create} onClick={() => go(addressOf('new', name))} />}
      </div>
      {items.length > 0 && <ItemTable items={items} item={item} />}
      {isMore && <Button text={say('show_more')} onClick={showMore} />}
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
  const { say, label, amount, time } = usePage();
  const rows = items.map(({ id, name, sku, category_name, value, active, updated_at, updated_by }): TableRow => {
    const link = (
      <a key="link" href={addressOf(id)} aria-current={id === item ? 'true' : undefined}>
        {name} {!active && <mark>{say('inactive')}</mark>}
      </a>
    );
    const changed = say('changed_by', { time: time(updated_at), user: updated_by });
    return [id, link, sku, category_name, amount(value), <small key="changed">{changed}</small>];
  });
  const fields = ['name', 'sku', 'category', 'value'].map((name) => [name, label(name)] as const);
  return <Table id="items" head={[...fields, ['when', say('changed')]]} rows={rows} />;
}

/** Whoever closes an item goes on in the list where they were. */
export const focusItem = (item: Route['item']) =>
  item && document.querySelector<HTMLElement>(`#items [href="${addressOf(item)}"]`)?.focus();
