import type { useItemForm, useItems } from 'catalog-client/react';
import { counted } from './shownText.ts';

interface Props {
  readonly list: ReturnType<typeof useItems>;
  readonly form: ReturnType<typeof useItemForm>;
  readonly text: string;
  readonly setText: (text: string) => void;
  readonly isAll: boolean;
  readonly setAll: (isAll: boolean) => void;
}

export function ItemList({
  list: { items, isMore, isBusy, failure, showMore },
  form,
  text,
  setText,
  isAll,
  setAll,
}: Props) {
  const count = `${counted(items.length, 'item')}${isMore ? ', and more' : ''}`;
  return (
    <section aria-label="Items">
      <div className="row">
        <label htmlFor="search">Search</label>
        <input
          id="search"
          type="search"
          placeholder={isAll ? 'Beginning of the name' : 'Words of name, SKU or part number'}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <button id="new" type="button" onClick={() => form.open()}>
          New item
        </button>
      </div>
      <div className="row">
        <label className="check">
          <input id="all" type="checkbox" checked={isAll} onChange={({ target }) => setAll(target.checked)} />
          Also inactive items
        </label>
        <p id="count" role="status">
          {failure || (isBusy && items.length === 0 ? 'Loading…' : count)}
        </p>
      </div>
      <ul id="items" aria-busy={isBusy}>
        {items.map(({ id, name, value, sku, active }) => (
          <li key={id}>
            <button type="button" aria-current={id === form.loaded?.item.id} onClick={() => form.open(id)}>
              <span>{name}</span>
              <b>{value.toLocaleString(undefined, { minimumFractionDigits: 2, maximumFractionDigits: 4 })}</b>
              <small>{[sku, active ? '' : 'inactive'].filter(Boolean).join(', ')}</small>
            </button>
          </li>
        ))}
      </ul>
      {isMore && (
        <button id="more-items" type="button" onClick={showMore}>
          Show more
        </button>
      )}
    </section>
  );
}
