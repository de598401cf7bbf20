import type { Item } from 'catalog-client';
import type { useItems } from 'catalog-client/react';
import { usePage } from './context.ts';
import { Button, Checkbox, Control, Field, Table, type TableRow } from './elements.tsx';
import { addressOf, go, type Route } from './route.ts';

/** What is searched. All but the text is filtered by the service. */
interface Wanted {
  readonly text: string;
  readonly category?: number | undefined;
  readonly type?: Item['type'] | undefined;
  readonly include_inactive?: boolean | undefined;
}

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
  const { items, isMore, isBusy, failure, showMore, searchedBy } = list;
  const count =
    isBusy && items.length === 0 ? say('loading') : say(isMore ? 'count_more' : 'count', { count: items.length });
  return (
    <article id="list" aria-label={say('items')}>
      <search>
        <Field
          id="search"
          type="search"
          label={say(searchedBy === 'words' ? 'search_words' : 'search_beginning')}
          value={wanted.text}
          onType={(text) => want({ ...wanted, text })}
        />
        <Filters wanted={wanted} want={want} />
      </search>
      <div className="row">
        <small className="rest" role="status">
          {failure === undefined ? count : notice(failure)}
        </small>
        {may('catalog:edit') && <Button className="main" text={say('new_item')} onClick={() => go(addressOf('new'))} />}
      </div>
      {items.length > 0 && <ItemTable items={items} item={item} />}
      {items.length === 0 && !isBusy && <Nothing wanted={wanted} want={want} />}
      {isMore && <Button text={say('show_more')} onClick={showMore} />}
    </article>
  );
}

function Filters({ wanted, want }: Pick<Props, 'wanted' | 'want'>) {
  const { say, texts, catalog } = usePage();
  const categories = catalog.categories.map(({ id, name }) => [String(id), name] as const);
  return (
    <div className="row">
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
    </div>
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
    return [
      id,
      link,
      sku,
      category_name,
      amount(value),
      say('changed_by', { time: time(updated_at), user: updated_by }),
    ];
  });
  const fields = ['name', 'sku', 'category', 'value'].map((name) => [name, label(name)] as const);
  return <Table id="items" head={[...fields, ['when', say('changed')]]} rows={rows} />;
}

function Nothing({ wanted, want }: Pick<Props, 'wanted' | 'want'>) {
  const { say, may } = usePage();
  const isSearched = Object.values(wanted).some((each) => each !== undefined && each !== '');
  return (
    <div>
      <p>{say(isSearched ? 'not_found' : 'empty')}</p>
      {isSearched && <Button text={say('clear')} onClick={() => want(everything)} />}{' '}
      {may('catalog:edit') && (
        <Button
          text={wanted.text ? say('create_named', { name: wanted.text }) : say('import_sheet')}
          onClick={() => go(wanted.text ? addressOf('new', wanted.text) : '#/import')}
        />
      )}
    </div>
  );
}
