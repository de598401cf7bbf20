import { en, type PageTexts } from './en.ts';

/** Fills in the English of what a language lacks, for pages that are built without the compiler's checks. */
export function withEnglish(table: object): PageTexts {
  const given = new Map(Object.entries(table));
  const filled = Object.entries(en).map(([key, text]) => {
    if (typeof text === 'string') return [key, given.get(key) ?? text];
    return [key, { ...text, ...given.get(key) }];
  });
  return Object.fromEntries(filled);
}
