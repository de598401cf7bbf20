import type { CallerStorage } from '../../../client/http/catalogClient.ts';

/** As `sessionStorage`, which outlives a page. */
export function memoryStorage(): CallerStorage & { readonly saved: ReadonlyMap<string, string> } {
  const saved = new Map<string, string>();
  return {
    saved,
    getItem: (name) => saved.get(name) ?? null,
    setItem: (name, value) => saved.set(name, value),
    removeItem: (name) => saved.delete(name),
  };
}
