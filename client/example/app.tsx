// What a frontend does with the catalog, on one page: layout over the hooks of the package.
import { type Catalog, type Client, catalogClient, loadCatalog } from 'catalog-client';
import { forgetCreate } from 'catalog-client/createItem';
import { en } from 'catalog-client/en';
import { forgetImports } from 'catalog-client/importRows';
import { useItemForm, useItems } from 'catalog-client/react';
import { forgetUndos, type Mistake } from 'catalog-client/undo';
import { StrictMode, useEffect, useRef, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Button } from './elements.tsx';
import { History } from './History.tsx';
import { ImportSheet } from './ImportSheet.tsx';
import { ItemForm } from './ItemForm.tsx';
import { ItemList } from './ItemList.tsx';
import { SignIn } from './SignIn.tsx';
import { UndoMistake } from './UndoMistake.tsx';

// The page starts no scripts by their addresses but its own: the worker that reads sheets.
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): void } };
const isOwn = (url: string) => new URL(url).origin === location.origin;
trustedTypes?.createPolicy('default', { createScriptURL: (url: string) => (isOwn(url) ? url : null) });

/** One client for as long as the page is open. Whoever signs in again goes on with what is typed. */
function App({ demoToken }: { demoToken: string }) {
  const token = useRef(sessionStorage.getItem('token') ?? '');
  const [isSignedOut, setSignedOut] = useState(token.current === '');
  const [catalog, setCatalog] = useState<Catalog>();
  const [client] = useState(() =>
    catalogClient(
      '',
      // A demo token cannot be renewed: a user who waits signs in again.
      async ({ refused, background }) => {
        if (refused === token.current && !background) setSignedOut(true);
        return token.current;
      },
    ),
  );

  async function signIn(given: string): Promise<void> {
    token.current = given;
    const loaded = await loadCatalog(client);
    sessionStorage.setItem('token', given);
    setCatalog(loaded);
    setSignedOut(false);
  }
  /** What the user has left open goes, too. */
  function signOut(): void {
    forgetCreate(sessionStorage);
    forgetImports(localStorage);
    forgetUndos(localStorage);
    localStorage.removeItem('mistake');
    sessionStorage.removeItem('token');
    token.current = '';
    setCatalog(undefined);
    setSignedOut(true);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the token of the visit before
  useEffect(() => {
    if (token.current !== '') signIn(token.current).catch(() => setSignedOut(true));
  }, []);

  return (
    <>
      {isSignedOut && <SignIn demoToken={demoToken} signIn={signIn} />}
      {catalog && (
        <Page key={`${catalog.account} ${catalog.user}`} client={client} catalog={catalog} signOut={signOut} />
      )}
    </>
  );
}

function Page({ client, catalog, signOut }: { client: Client; catalog: Catalog; signOut: () => void }) {
  const [wanted, want] = useState({ text: '', isAll: false });
  const list = useItems(client, { text: wanted.text, query: wanted.isAll ? { include_inactive: true } : undefined });
  const form = useItemForm(client, catalog, { storage: sessionStorage, texts: en, onSaved: list.put });
  const [suggested, suggest] = useState<Mistake>();
  const mayEdit = catalog.permissions.includes('catalog:edit');
  const leave = () => (!form.isEdited || confirm('Sign out without saving what is typed?')) && signOut();
  return (
    <div id="app">
      <header>
        <h1>Catalog</h1>
        <p id="caller">{`${catalog.user}, ${catalog.account}`}</p>
        <Button id="sign-out" text="Sign out" onClick={leave} />
      </header>
      <main>
        <ItemList list={list} form={form} wanted={wanted} want={want} />
        <section aria-labelledby="title">
          <ItemForm form={form} catalog={catalog} />
          {form.loaded && (
            <History
              client={client}
              id={form.loaded.item.id}
              version={list.version}
              undo={mayEdit ? suggest : undefined}
            />
          )}
        </section>
        {mayEdit && <ImportSheet client={client} catalog={catalog} undo={suggest} />}
        {mayEdit && <UndoMistake client={client} catalog={catalog} suggested={suggested} />}
      </main>
    </div>
  );
}

const root = document.getElementById('root') as HTMLElement;
createRoot(root).render(
  <StrictMode>
    <App demoToken={root.dataset['token'] ?? ''} />
  </StrictMode>,
);
