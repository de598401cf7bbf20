import type { Catalog, Item } from 'catalog-client';
import type { useItems } from 'catalog-client/react';
import { Button, Checkbox, Select } from './elements.tsx';
import { useLanguage } from './language.ts';
import { addressOf } from './route.ts';

/** What is searched. All but the text is filtered by the service. */
export interface Wanted {
  readonly text: string;
  readonly category?: number;
  readonly type?: Item['type'];
  readonly include_inactive?: boolean;
}

export const everything: Wanted = { text: '' };

interface Props {
  readonly list: ReturnType<typeof useItems>;
  readonly catalog: Catalog;
  readonly wanted: Wanted;
  readonly want: (wanted: Wanted) => void;
  /** The one that is shown beside the list. */
  readonly item: number | 'new' | undefined;
  readonly create: (name: string) => void;
  readonly mayEdit: boolean;
}

export function Items({ list, catalog, wanted, want, item, create, mayEdit }: Props) {
  const { say, notice } = useLanguage();
  const { items, isMore, isBusy, failure, showMore } = list;
  const count =
    isBusy && items.length === 0 ? say('loading') : say(isMore ? 'count_more' : 'count', { count: items.length });
  return (
    <section id="list" aria-label={say('items')}>
      <Filters catalog={catalog} wanted={wanted} want={want} isByWords={list.searchedBy === 'words'} />
      <div className="row">
        <p id="count" role="status">
          {failure === undefined ? count : notice(failure)}
        </p>
        {mayEdit && (
          <a className="button main" href={addressOf('new')}>
            {say('new_item')}
          </a>
        )}
      </div>
      {items.length > 0 && <ItemTable items={items} isBusy={isBusy} item={item} />}
      {items.length === 0 && !isBusy && <Nothing wanted={wanted} want={want} create={mayEdit ? create : undefined} />}
      {isMore && <Button id="more-items" text={say('show_more')} onClick={showMore} />}
    </section>
  );
}

function Filters({
  catalog,
  wanted,
  want,
  isByWords,
}: Pick<Props, 'catalog' | 'wanted' | 'want'> & { isByWords: boolean }) {
  const { say, texts } = useLanguage();
  const { text, category, type, include_inactive } = wanted;
  /** Without what is empty. */
  const set = (more: { readonly [Name in keyof Wanted]?: Wanted[Name] | undefined }) =>
    want(
      Object.fromEntries(
        Object.entries({ ...wanted, ...more }).filter(([, value]) => value !== undefined),
      ) as unknown as Wanted,
    );
  return (
    <search>
      <label htmlFor="search">{say(isByWords ? 'search_words' : 'search_beginning')}</label>
      <input id="search" type="search" value={text} onChange={({ target }) => set({ text: target.value })} />
      <div className="row">
        <Select
          aria-label={say('every_category')}
          value={category ?? ''}
          options={[
            ['', say('every_category')],
            ...catalog.categories.map((each) => [String(each.id), each.name] as const),
          ]}
          onPick={(id) => set({ category: id === '' ? undefined : Number(id) })}
        />
        <Select
          aria-label={say('every_type')}
          value={type ?? ''}
          options={[['', say('every_type')], ...Object.entries(texts.types)]}
          onPick={(each) => set({ type: each === '' ? undefined : (each as Item['type']) })}
        />
        <Checkbox
          id="all"
          label={say('also_inactive')}
          checked={include_inactive === true}
          onPick={(all) => set({ include_inactive: all || undefined })}
        />
      </div>
    </search>
  );
}

function ItemTable({ items, isBusy, item }: Pick<Props['list'], 'items' | 'isBusy'> & Pick<Props, 'item'>) {
  const { say, label, amount, time } = useLanguage();
  return (
    <table id="items" aria-busy={isBusy}>
      <thead>
        <tr>
          {['name', 'sku', 'category', 'value'].map((name) => (
            <th key={name} scope="col" className={name}>
              {label(name)}
            </th>
          ))}
          <th scope="col" className="when">
            {say('changed')}
          </th>
        </tr>
      </thead>
      <tbody>
        {items.map(({ id, name, sku, category_name, value, active, updated_at, updated_by }) => (
          <tr key={id}>
            <td className="name">
              <a href={addressOf(id)} aria-current={id === item ? 'true' : undefined}>
                {name}
              </a>
              {!active && <mark>{say('inactive')}</mark>}
            </td>
            <td className="sku">{sku}</td>
            <td className="category">{category_name}</td>
            <td className="value">{amount(value)}</td>
            <td className="when">{say('changed_by', { time: time(updated_at), user: updated_by })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Nothing({ wanted, want, create }: Pick<Props, 'wanted' | 'want'> & { create: Props['create'] | undefined }) {
  const { say } = useLanguage();
  const isSearched = wanted.text !== '' || Object.keys(wanted).length > 1;
  return (
    <div className="nothing">
      <p>{say(isSearched ? 'not_found' : 'empty')}</p>
      <p className="row">
        {isSearched && <Button text={say('clear')} onClick={() => want(everything)} />}
        {wanted.text !== '' && create && (
          <Button text={say('create_named', { name: wanted.text })} onClick={() => create(wanted.text)} />
        )}
        {!isSearched && create && (
          <>
            <Button className="main" text={say('create_first')} onClick={() => create('')} />
            <a className="button" href="#/import">
              {say('import_sheet')}
            </a>
          </>
        )}
      </p>
    </div>
  );
}
