// The four places: items, an item beside them, the import, and the history.
import type { Catalog, Client } from 'catalog-client';
import { useItemForm, useItems } from 'catalog-client/react';
import type { Mistake } from 'catalog-client/undo';
import { useEffect, useRef, useState } from 'react';
import { Button } from './elements.tsx';
import { ItemHistory } from './History.tsx';
import { ImportSheet } from './ImportSheet.tsx';
import { ItemForm } from './ItemForm.tsx';
import { everything, Items } from './Items.tsx';
import { useLanguage } from './language.ts';
import { addressOf, useRoute } from './route.ts';
import { LanguageChoice } from './SignIn.tsx';
import { UndoMistake } from './UndoMistake.tsx';

interface Props {
  readonly client: Client;
  readonly catalog: Catalog;
  readonly signOut: () => void;
  readonly speak: (language: string) => void;
}

export function Page({ client, catalog, signOut, speak }: Props) {
  const { say, client: texts } = useLanguage();
  const [wanted, want] = useState(everything);
  const { text, ...filters } = wanted;
  const query = Object.keys(filters).length > 0 ? filters : undefined;
  const list = useItems(client, { text, query });
  const form = useItemForm(client, catalog, {
    ...{ storage: sessionStorage, texts, onSaved: list.put, mayLeave: () => true },
  });
  const mayLeave = () => !form.isEdited || confirm(say('leave'));
  const { place, item, go, rename } = useRoute(mayLeave);
  const [suggested, suggest] = useState<Mistake>();
  /** What a new item is called that a search has not found. */
  const named = useRef('');
  const mayEdit = catalog.permissions.includes('catalog:edit');
  const saved = form.loaded?.item.id;

  // biome-ignore lint/correctness/useExhaustiveDependencies: when the address changes
  useEffect(() => {
    if (item === undefined || item === saved) return;
    form.open(item === 'new' ? undefined : item).then(() => {
      if (item === 'new' && named.current !== '') form.type('name', named.current);
      named.current = '';
    });
  }, [item]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: when a new item was saved
  useEffect(() => {
    if (item === 'new' && saved !== undefined) rename(addressOf(saved));
  }, [saved]);

  function undo(mistake: Mistake | undefined): void {
    suggest(mistake);
    go('#/history');
  }
  function create(name: string): void {
    named.current = name;
    go(addressOf('new'));
  }
  const places = mayEdit ? (['items', 'import', 'history'] as const) : (['items'] as const);
  return (
    <div id="app">
      <header>
        <h1>{say('title')}</h1>
        <nav aria-label={say('title')}>
          {places.map((each) => (
            <a key={each} href={`#/${each}`} aria-current={each === place ? 'page' : undefined}>
              {say(each)}
            </a>
          ))}
        </nav>
        <p id="caller">{`${catalog.user}, ${catalog.account}`}</p>
        <LanguageChoice speak={speak} />
        <Button id="sign-out" text={say('sign_out')} onClick={() => mayLeave() && signOut()} />
      </header>
      {place === 'items' && (
        <main id="items-place" data-open={item !== undefined}>
          <Items {...{ list, catalog, wanted, want, item, create, mayEdit }} />
          {item !== undefined && (
            <section aria-labelledby="title">
              <ItemForm form={form} catalog={catalog} id={item} />
              {saved !== undefined && saved === item && (
                <ItemHistory client={client} id={saved} version={list.version} undo={mayEdit ? undo : undefined} />
              )}
            </section>
          )}
        </main>
      )}
      {/* What runs there goes on while the user is elsewhere. */}
      {mayEdit && (
        <main hidden={place !== 'import'}>
          <ImportSheet client={client} catalog={catalog} undo={undo} />
        </main>
      )}
      {mayEdit && (
        <main hidden={place !== 'history'}>
          <UndoMistake client={client} catalog={catalog} suggested={suggested} isShown={place === 'history'} />
        </main>
      )}
    </div>
  );
}
