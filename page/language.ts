// What all parts of the page have: who is signed in, and how the page writes what they read.
import {
  type Catalog,
  type Client,
  type Notice,
  noticeOf,
  type Problem,
  type SheetNotice,
  type Texts,
  textOf,
} from 'catalog-client';
import { en } from 'catalog-client/en';
import { pt } from 'catalog-client/pt';
import type { ImportFailure } from 'catalog-client/sheetImport';
import { createContext, useContext } from 'react';
import type { PageTexts } from './texts/en.ts';
import * as known from './texts/languages.ts';

/** With what the package says, for a language that it lacks. */
type Table = PageTexts & { readonly words?: Texts };

export const languages: Readonly<Record<string, Table>> = known;

/** What the package says. */
const packaged: Readonly<Record<string, Texts>> = { en, pt };

type Key = { [Name in keyof PageTexts]: PageTexts[Name] extends string ? Name : never }[keyof PageTexts];
type Values = Readonly<Record<string, string | number | undefined>>;

/** The units of `ago`, in seconds. */
const agoUnits = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
] as const;

export function languageOf(code: string, catalog?: Catalog) {
  const page: Table = languages[code] ?? known.en;
  const { words = packaged[code] ?? en, ...texts } = page;
  const amount = (value: number, decimals = 2) =>
    value.toLocaleString(code, { minimumFractionDigits: decimals, maximumFractionDigits: 6 });
  /** In the user's time zone. */
  const time = (at: string | Date) => new Date(at).toLocaleString(code, { dateStyle: 'medium', timeStyle: 'short' });
  /** How long ago something was, as `2 hr. ago`. A device whose clock is behind sees no future. */
  const ago = (at: string): string => {
    const seconds = Math.min(0, (Date.parse(at) - Date.now()) / 1000);
    const [unit, size] = agoUnits.find(([, length]) => -seconds >= length) ?? (['minute', 60] as const);
    const format = new Intl.RelativeTimeFormat(code, { numeric: 'auto', style: 'short' });
    return format.format(Math.round(seconds / size), unit);
  };
  const say = (key: Key, values: Values = {}) =>
    texts[key].replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, (_, name, one, many) => {
      const { [name]: value = '' } = values;
      if (one !== undefined) return value === 1 ? one : many;
      return typeof value === 'number' ? value.toLocaleString(code) : value;
    });
  /** What a form, a list, an undo or a sheet has to say. */
  const notice = (given: Notice | SheetNotice) => textOf(given, words);
  /** Why something was refused. An import has the codes of the contract in lower case. */
  const reason = ({ rule, ...rest }: { readonly rule: string; readonly reason?: string | undefined }) => {
    const known = [rule.toUpperCase(), rule].find((each) => Object.hasOwn(words, each));
    return textOf({ ...rest, rule: known ?? rule } as Problem, words);
  };
  const labels: Readonly<Record<string, string>> = texts.fields;
  return {
    ...{ code, say, amount, ago, time, words, texts },
    /** What a field or a custom field, such as `metadata.color` or `metadata/color`, is called. */
    label: (name: string) => labels[name] ?? name.replace(/^metadata[./]/, ''),
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
  [localStorage.getItem('language') ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))].find((code) =>
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

export function usePage() {
  const page = useContext(PageContext);
  const may = (permission: Catalog['permissions'][number]) => page.catalog.permissions.includes(permission);
  return { ...page, may };
}
