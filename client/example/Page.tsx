// The four places: items, an item beside them, the import, and the history.
import { useItemForm, useItems } from 'catalog-client/react';
import type { Mistake } from 'catalog-client/undo';
import { useEffect, useEffectEvent, useState } from 'react';
import { usePage } from './context.ts';
import { Button } from './elements.tsx';
import { ItemHistory } from './History.tsx';
import { ImportSheet } from './ImportSheet.tsx';
import { ItemForm } from './ItemForm.tsx';
import { everything, Items } from './Items.tsx';
import { addressOf, go, useRoute } from './route.ts';
import { LanguageChoice } from './SignIn.tsx';
import { UndoMistake } from './UndoMistake.tsx';

export function Page({ signOut }: { signOut: () => void }) {
  const { say, words, client, catalog, may } = usePage();
  const [wanted, want] = useState(everything);
  const { text, ...filters } = wanted;
  const isFiltered = Object.values(filters).some((filter) => filter !== undefined);
  const list = useItems(client, { text, query: isFiltered ? filters : undefined });
  const form = useItemForm(client, catalog, {
    ...{ storage: sessionStorage, texts: words, onSaved: list.put, mayLeave: () => true },
  });
  const mayLeave = () => !form.isEdited || confirm(words.unsaved);
  const { place, item, name, rename } = useRoute(mayLeave);
  const [suggested, suggest] = useState<Mistake>();
  const saved = form.loaded?.item.id;

  const open = useEffectEvent(async (id: typeof item, newName = '') => {
    if (id === undefined || id === saved) return;
    await form.open(id === 'new' ? undefined : id);
    if (newName !== '') form.type('name', newName);
  });
  useEffect(() => void open(item, name), [item, name]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a new item was saved
  useEffect(() => {
    if (item === 'new' && saved !== undefined) rename(addressOf(saved));
  }, [saved]);

  function undo(mistake: Mistake): void {
    suggest(mistake);
    go('#/history');
  }
  const mayEdit = may('catalog:edit');
  const places = mayEdit ? (['items', 'import', 'history'] as const) : (['items'] as const);
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
      {place === 'items' && (
        <main id="items-place" data-open={item !== undefined}>
          <Items {...{ list, wanted, want, item }} />
          {item !== undefined && (
            <article aria-labelledby="title">
              <ItemForm form={form} id={item} />
              {saved !== undefined && saved === item && <ItemHistory id={saved} version={list.version} undo={undo} />}
            </article>
          )}
        </main>
      )}
      {/* What runs there goes on while the user is elsewhere. */}
      {mayEdit && (
        <main hidden={place !== 'import'}>
          <ImportSheet undo={undo} />
        </main>
      )}
      {mayEdit && (
        <main hidden={place !== 'history'}>
          <UndoMistake suggested={suggested} isShown={place === 'history'} />
        </main>
      )}
    </>
  );
}
