// The frame of the page: who is signed in, and in which language. Page.tsx has the places.
import { type Catalog, createCatalogClient, loadCatalog, type Notice, noticeOf } from 'catalog-client';
import { forgetCreates } from 'catalog-client/createItem';
import { forgetImports } from 'catalog-client/importRows';
import { forgetUndos } from 'catalog-client/undo';
import { StrictMode, useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { firstLanguage, languageOf, PageContext } from './language.ts';
import { Page } from './Page.tsx';
import { SignIn } from './SignIn.tsx';
import { local, remember, session } from './storage.ts';

// The page starts no scripts by their addresses but its own: the worker that reads sheets.
const { trustedTypes } = globalThis as { trustedTypes?: { createPolicy(name: string, rules: object): void } };
const isOwn = (url: string) => new URL(url).origin === location.origin;
trustedTypes?.createPolicy('default', { createScriptURL: (url: string) => (isOwn(url) ? url : null) });

/** Entries of the browser's storages with a user's work and files. */
function forgetAll(): void {
  forgetCreates(session);
  forgetImports(local);
  forgetUndos(local);
  for (const name of ['mistake', 'catalog.columns']) local?.removeItem(name);
}

/** One client for as long as the page is open. Whoever signs in again goes on with what is typed. */
function App({ demoToken }: { demoToken: string }) {
  const token = useRef(session?.getItem('token') ?? '');
  const [isEnded, setEnded] = useState(token.current === '');
  const [failure, setFailure] = useState<Notice>();
  const [catalog, setCatalog] = useState<Catalog>();
  const [code, setCode] = useState(firstLanguage);
  const [client] = useState(() =>
    createCatalogClient({
      // The page is served beside the service. Elsewhere, this is its address, or a proxy has `/api`.
      baseUrl: '',
      // A demo token cannot be renewed: the user signs in again.
      getAccessToken: async ({ refused }) => {
        if (refused === token.current) endSession();
        return token.current;
      },
    }),
  );
  const language = useMemo(() => languageOf(code, catalog), [code, catalog]);
  const speak = (chosen: string) => {
    remember(local, 'language', chosen);
    setCode(chosen);
  };
  useEffect(() => {
    document.documentElement.lang = code;
  }, [code]);

  const reload = async () => setCatalog(await loadCatalog(client));
  async function signIn(given: string): Promise<void> {
    token.current = given;
    setFailure(undefined);
    const error = await reload().catch((reason) => reason);
    if (error === undefined) remember(session, 'token', given);
    else setFailure(noticeOf(error));
    setEnded(error !== undefined);
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, with the token of the visit before
  useEffect(() => {
    if (token.current !== '') void signIn(token.current);
  }, []);
  function endSession(): void {
    session?.removeItem('token');
    setEnded(true);
  }
  function signOut(): void {
    token.current = '';
    flushSync(() => setCatalog(undefined));
    endSession();
    // Only now: what was under way stops with its component, and keeps where it was.
    queueMicrotask(forgetAll);
  }

  return (
    <PageContext value={{ ...language, speak, client, catalog: catalog as Catalog, reload }}>
      {isEnded && <SignIn {...{ demoToken, isAgain: catalog !== undefined, failure, signIn }} />}
      {catalog && <Page key={`${catalog.account} ${catalog.user}`} signOut={signOut} />}
    </PageContext>
  );
}

const root = document.getElementById('root') as HTMLElement;
createRoot(root).render(
  <StrictMode>
    <App demoToken={root.dataset['token'] ?? ''} />
  </StrictMode>,
);
