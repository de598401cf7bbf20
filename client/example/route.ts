// The four places of the page have addresses, so that they can be linked, and Back works.
import { useEffect, useRef, useState } from 'react';

export interface Route {
  readonly place: 'items' | 'import' | 'history';
  readonly item?: number | 'new' | undefined;
}

function routeOf(hash: string): Route {
  const [, place = '', item = ''] = hash.split('/');
  if (place === 'import' || place === 'history') return { place };
  return { place: 'items', item: item === 'new' ? 'new' : /^[1-9]\d*$/.test(item) ? Number(item) : undefined };
}

export const addressOf = (item?: number | 'new'): string => (item === undefined ? '#/items' : `#/items/${item}`);

/**
 * Where the user is. Whoever stays, because something is not saved, keeps the address.
 * @param mayLeave asks the user, also after Back
 */
export function useRoute(mayLeave: () => boolean) {
  const [hash, setHash] = useState(location.hash);
  const shown = useRef(hash);
  const ask = useRef(mayLeave);
  useEffect(() => {
    ask.current = mayLeave;
    shown.current = hash;
  });
  useEffect(() => {
    const move = () => {
      if (location.hash === shown.current) return;
      if (ask.current()) setHash(location.hash);
      else history.pushState(null, '', shown.current || '#/items');
    };
    addEventListener('hashchange', move);
    return () => removeEventListener('hashchange', move);
  }, []);
  return {
    ...routeOf(hash),
    go: (address: string) => {
      location.hash = address;
    },
    /** The same page has another address from now on: a new item was saved. */
    rename(address: string): void {
      history.replaceState(null, '', address);
      setHash(address);
    },
  };
}
