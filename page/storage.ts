// What the browser keeps of a user. The page goes on where it keeps nothing, because it is blocked with the cookies, or full.
import type { CallerStorage } from 'catalog-client';

function storageOf(name: 'localStorage' | 'sessionStorage'): CallerStorage | undefined {
  try {
    return window[name];
  } catch {
    return undefined;
  }
}

export const local = storageOf('localStorage');
export const session = storageOf('sessionStorage');

/** Keeps a text for the next visit, if there is room. */
export function remember(storage: CallerStorage | undefined, name: string, text: string): void {
  try {
    storage?.setItem(name, text);
  } catch {
    // The next visit begins without it.
  }
}
