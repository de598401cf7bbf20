// Shared by all parts of the page: who is signed in, and how texts and numbers are written.
import type { Catalog, Client, Notice, Problem, SheetNotice, Texts } from 'catalog-client';
import { noticeOf, textOf } from 'catalog-client';
import { en as enWords } from 'catalog-client/en';
import { pt as ptWords } from 'catalog-client/pt';
import type { ImportFailure } from 'catalog-client/sheetImport';
import { createContext, useContext } from 'react';
import { local } from './storage.ts';
import { en, type PageTexts, withEnglish } from './texts/en.ts';
import { pt } from './texts/pt.ts';

/** The texts of the page, and in `words` those of the package. */
type Language = PageTexts & { readonly words: Texts };

const english: Language = { ...en, words: enWords };
export const languages: Readonly<Record<string, Language>> = { en: english, pt: { ...pt, words: ptWords } };

type Key = { [Name in keyof PageTexts]: PageTexts[Name] extends string ? Name : never }[keyof PageTexts];
interface Reason {
  readonly rule: string;
  readonly field?: string | undefined;
  readonly reason?: string | undefined;
  /** The item that has the value already, by its name if that is known. */
  readonly item?: string | number | undefined;
}
type Values = Readonly<Record<string, string | number | undefined>>;

export function languageOf(code: string, catalog?: Catalog) {
  const { words, ...table } = languages[code] ?? english;
  const texts = withEnglish(table);
  const amount = (value: number, decimals = 2) =>
    value.toLocaleString(code, { minimumFractionDigits: decimals, maximumFractionDigits: 6 });
  /** In the user's time zone. */
  const time = (at: string | Date) => new Date(at).toLocaleString(code, { dateStyle: 'medium', timeStyle: 'short' });
  /** How long ago something was within a day, as `2 hr. ago`. A device whose clock is behind sees no future. */
  const ago = (at: string): string => {
    const minutes = Math.max(0, (Date.now() - Date.parse(at)) / 60_000);
    const format = new Intl.RelativeTimeFormat(code, { numeric: 'auto', style: 'short' });
    if (minutes < 60) return format.format(-Math.floor(minutes), 'minute');
    if (minutes < 1_440) return format.format(-Math.floor(minutes / 60), 'hour');
    return new Date(at).toLocaleDateString(code, { dateStyle: 'medium' });
  };
  const say = (key: Key, values: Values = {}) =>
    texts[key].replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
      const { [name]: value = '' } = values;
      if (one !== undefined) return value === 1 ? one : many;
      return typeof value === 'number' ? value.toLocaleString(code) : value;
    });
  /** The text of a notice of a form, a list, an undo or a sheet. */
  const notice = (given: Notice | SheetNotice) => textOf(given, words);
  /** Why something was refused. An import has the codes of the contract in lower case. */
  const reason = ({ rule, ...rest }: Reason) => {
    if (rule === 'unknown_reference' && rest.field === 'unit')
      return say('unknown_unit', { units: catalog?.units.map(({ unit }) => unit).join(', ') });
    const known = [rule.toUpperCase(), rule].find((each) => Object.hasOwn(words, each));
    return textOf({ ...rest, rule: known ?? rule } as Problem, words);
  };
  const labels = new Map(Object.entries(texts.fields));
  return {
    code,
    say,
    amount,
    ago,
    time,
    words,
    texts,
    may: (permission: Catalog['permissions'][number]) => catalog?.permissions.includes(permission) === true,
    /** The label of a field or a custom field, such as `metadata.color` or `metadata/color`. */
    label: (name: string) => labels.get(name) ?? name.replace(/^metadata[./]/, ''),
    /** An amount in an input: with one meaning, whatever the language. */
    input: (value: number, decimals: number) =>
      value
        .toLocaleString(code, { useGrouping: false, minimumFractionDigits: decimals, maximumFractionDigits: 6 })
        .replace(/[.,]\d{3}$/, '$&0'),
    value(name: string, value: unknown): string {
      if (value === null || value === undefined || value === '') return texts.none;
      if (typeof value === 'boolean') return value ? texts.yes : texts.no;
      if (name === 'category') return catalog?.categories.find(({ id }) => id === value)?.name ?? String(value);
      if (name === 'type') return texts.types[value as 'product'] ?? String(value);
      if (Array.isArray(value) && name === 'qty') return `${amount(value[0], 0)} ${value[1]}`;
      if (typeof value === 'number') return amount(value, ['value', 'cost', 'tax'].includes(name) ? 2 : 0);
      return typeof value === 'object' ? JSON.stringify(value) : String(value);
    },
    notice,
    reason,
    /** Why an import has ended, or waits. */
    failure({ code, message, lines, cause }: ImportFailure): string {
      const text = Object.hasOwn(words, code) ? reason({ rule: code, reason: message }) : notice(noticeOf(cause));
      return `${text} ${lines.join(', ')}`;
    },
  };
}

/** The language that the user has chosen, or that of the browser. */
export const firstLanguage = (): string =>
  [local?.getItem('language') ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))].find((code) =>
    Object.hasOwn(languages, code),
  ) ?? 'en';

interface Given extends ReturnType<typeof languageOf> {
  readonly speak: (code: string) => void;
  readonly client: Client;
  /** Before the sign-in there is none. */
  readonly catalog: Catalog;
  /** Loads the catalog again, as when it has another category. */
  readonly reload: () => Promise<void>;
}

export const PageContext = createContext({} as Given);

export const usePage = () => useContext(PageContext);
