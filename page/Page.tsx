// The four places: items, an item beside them, the import, and the history.
import { noticeOf } from 'catalog-client';
import { useItemForm, useItems } from 'catalog-client/react';
import type { UndoTarget } from 'catalog-client/undo';
import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { ItemHistory } from './Changes.tsx';
import { Button, Question } from './elements.tsx';
import { History } from './History.tsx';
import { ImportSheet } from './ImportSheet.tsx';
import { ItemForm } from './ItemForm.tsx';
import { everything, focusItem, Items } from './Items.tsx';
import { usePage } from './language.ts';
import { addressOf, go, useRoute } from './route.ts';
import { LanguageChoice } from './SignIn.tsx';
import { session } from './storage.ts';
import { UndoChanges, useUndoing } from './UndoChanges.tsx';

export function Page({ signOut }: { signOut: () => void }) {
  const { say, words, notice, client, catalog, may } = usePage();
  const [refused, setRefused] = useState<readonly string[]>([]);
  const [wanted, want] = useState(everything);
  const { text, ...filters } = wanted;
  const list = useItems(client, { text, filter: filters });
  const form = useItemForm(client, catalog, {
    storage: session,
    texts: words,
    onSaved: list.upsert,
    mayLeave: () => true,
    onRefused({ name }, error) {
      const text = say('create_refused', { name, reason: notice(noticeOf(error)) });
      setRefused((before) => [...before, text]);
    },
  });
  const mayLeave = () => !form.isDirty || confirm(words.unsaved);
  const { item, name = '', rename, ...route } = useRoute(mayLeave);
  const undone = useUndoing();
  const saved = form.item;

  const before = useRef(item);
  /** Closes an item that is left, so that it is read again when it is opened again. A new item that was saved is open. */
  const open = useEffectEvent(async () => {
    if (item === undefined) focusItem(before.current);
    before.current = item;
    if (item !== undefined && item === saved?.id) return;
    await form.open(item === 'new' ? undefined : item);
    if (name !== '') form.setValue('name', name);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: each item that is opened
  useEffect(() => void open(), [item, name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a new item was saved
  useEffect(() => {
    if (item === 'new' && saved !== undefined) rename(addressOf(saved.id));
  }, [saved?.id]);

  function undo(target: UndoTarget): void {
    undone.choose(target);
    go('#/history');
  }
  const mayEdit = may('catalog:edit');
  const places = mayEdit ? (['items', 'import', 'history'] as const) : (['items'] as const);
  const place = places.find((each) => each === route.place) ?? 'items';
  const title = item === undefined ? say(place) : (saved?.name ?? say('new_item'));
  useEffect(() => {
    document.title = `${title} · ${say('title')}`;
  }, [title, say]);
  return (
    <>
      <header className="row">
        <h1>{say('title')}</h1>
        <nav className="rest" aria-label={say('title')}>
          <span>
            {places.map((each) => (
              <a key={each} href={`#/${each}`} aria-current={each === place ? 'page' : undefined}>
                {say(each)}
              </a>
            ))}
          </span>
          <small>{`${catalog.user}, ${catalog.account}`}</small>
        </nav>
        <LanguageChoice />
        <Button className="outline secondary" text={say('sign_out')} onClick={() => mayLeave() && signOut()} />
      </header>
      {refused.length > 0 && <Question text={refused.join(' ')} answers={[[say('close'), () => setRefused([])]]} />}
      {place === 'items' && (
        <main id="items-place" data-open={item !== undefined}>
          <Items {...{ list, wanted, want, item }} />
          {item !== undefined && (
            <article aria-labelledby="title">
              <ItemForm form={form} id={item} />
              {saved?.id === item && <ItemHistory id={item} version={list.version} undo={undo} />}
            </article>
          )}
        </main>
      )}
      {/* Imports and undos go on while the user is elsewhere. */}
      {mayEdit && (
        <main hidden={place !== 'import'}>
          <ImportSheet undo={undo} onWritten={list.refresh} />
        </main>
      )}
      {mayEdit && (
        <main hidden={place !== 'history'}>
          <UndoChanges {...undone} />
          {place === 'history' && <History undo={undo} />}
        </main>
      )}
    </>
  );
}
