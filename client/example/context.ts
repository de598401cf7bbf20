// What all parts of the page have: its language, and who is signed in.
import type { Catalog, Client } from 'catalog-client';
import { createContext, useContext } from 'react';
import type { Language } from './language.ts';

interface Given extends Language {
  readonly speak: (code: string) => void;
  readonly client: Client;
  /** Before the sign-in there is none. */
  readonly catalog: Catalog;
  /** Loads the catalog again, as when it has another category. */
  readonly reload: () => Promise<void>;
}

export const PageContext = createContext({} as Given);

export function usePage() {
  const page = useContext(PageContext);
  const may = (permission: Catalog['permissions'][number]) => page.catalog.permissions.includes(permission);
  return { ...page, may };
}
