import { en, type PageTexts } from './en.ts';

/** What a table lacks is English. */
export function withEnglish(table: object): PageTexts {
  const given = new Map(Object.entries(table));
  const filled = Object.entries(en).map(([key, text]) => {
    if (typeof text === 'string') return [key, given.get(key) ?? text];
    return [key, { ...text, ...given.get(key) }];
  });
  return Object.fromEntries(filled);
}
