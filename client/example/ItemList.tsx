import { textOf } from 'catalog-client';
import { en } from 'catalog-client/en';
import type { useItemForm, useItems } from 'catalog-client/react';
import { Button, Checkbox, counted, written } from './elements.tsx';

interface Props {
  readonly list: ReturnType<typeof useItems>;
  readonly form: ReturnType<typeof useItemForm>;
  readonly wanted: { readonly text: string; readonly isAll: boolean };
  readonly want: (wanted: Props['wanted']) => void;
}

export function ItemList({
  list: { items, isMore, isBusy, failure, searchedBy, showMore },
  form,
  wanted,
  want,
}: Props) {
  const { text, isAll } = wanted;
  const count =
    isBusy && items.length === 0 ? 'Loading…' : `${counted(items.length, 'item')}${isMore ? ', and more' : ''}`;
  return (
    <section aria-label="Items">
      <label htmlFor="search">
        {searchedBy === 'words'
          ? 'Search by words, SKU or part number'
          : 'Search by the beginning of the name, SKU or part number'}
      </label>
      <div className="row">
        <input id="search" type="search" value={text} onChange={({ target }) => want({ isAll, text: target.value })} />
        <Button id="new" text="New item" onClick={() => form.open()} />
      </div>
      <div className="row">
        <Checkbox id="all" label="Also inactive items" checked={isAll} onPick={(all) => want({ text, isAll: all })} />
        <p id="count" role="status">
          {failure ? textOf(failure, en) : count}
        </p>
      </div>
      <ul id="items" aria-busy={isBusy}>
        {items.map(({ id, name, value, sku, active }) => (
          <li key={id}>
            <button type="button" aria-current={id === form.loaded?.item.id} onClick={() => form.open(id)}>
              <span>{name}</span>
              <b>{written(value)}</b>
              <small>{`${sku ?? ''}${active ? '' : ' (inactive)'}`}</small>
            </button>
          </li>
        ))}
      </ul>
      {isMore && <Button id="more-items" text="Show more" onClick={showMore} />}
    </section>
  );
}
