// The four places of the page have addresses, so that they can be linked, and Back works.
import { useEffect, useEffectEvent, useState } from 'react';

export interface Route {
  readonly place: 'items' | 'import' | 'history';
  readonly item?: number | 'new' | undefined;
  /** The name of a new item, from a search that found none. */
  readonly name?: string | undefined;
}

function routeOf(hash: string): Route {
  const [path = '', query] = hash.split('?');
  const [, place, item = ''] = path.split('/');
  if (place === 'import' || place === 'history') return { place };
  if (item === 'new') return { place: 'items', item, name: new URLSearchParams(query).get('name') ?? '' };
  return { place: 'items', item: /^[1-9]\d*$/.test(item) ? Number(item) : undefined };
}

export const addressOf = (item: number | 'new', name = ''): string =>
  `#/items/${item}${name && `?${new URLSearchParams({ name })}`}`;

export const go = (address: string): void => {
  location.hash = address;
};

/**
 * Where the user is. Whoever stays, because something is not saved, keeps the address.
 * @param mayLeave asks the user, also after Back
 */
export function useRoute(mayLeave: () => boolean) {
  const [hash, setHash] = useState(location.hash);
  const move = useEffectEvent(() => {
    if (location.hash === hash) return;
    if (mayLeave()) setHash(location.hash);
    else history.pushState(null, '', hash || '#/items');
  });
  useEffect(() => {
    const listener = () => move();
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
  }, []);
  /** The same page has another address from now on: a new item was saved. */
  const rename = (address: string) => {
    history.replaceState(null, '', address);
    setHash(address);
  };
  return { ...routeOf(hash), rename };
}
