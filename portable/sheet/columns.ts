/** What the columns of a file mean: by their names, by what the user says, and what they seem to mean. */
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import { codePoints } from '../../lib/item/text.ts';
import { customPrefix } from './cells.ts';
import { rejectColumns } from './csvLine.ts';
import type { SheetQuestion } from './records.ts';

export interface SheetColumn {
  /** As it is in the file. A second one of a name has its number, and one without a name its place. */
  readonly name: string;
  /** A field, a custom field such as `metadata.color`, `id`, `revision`, `category_name`, or `ignore`. Undefined: unknown. */
  readonly target: string | undefined;
  /** Why: by its name, as the user has said, or because it is empty. */
  readonly why: 'name' | 'said' | 'empty' | undefined;
  /** What an unknown column seems to mean. It is not applied. */
  readonly suggestion?: string;
  /** Its first cells that are not blank. */
  readonly examples?: readonly string[];
}

const responseOnly = ['id', 'category_name', 'create_date', 'revision', 'updated_at', 'updated_by'];

/** The columns and members that other fields of a response, or the rejects of an import, have. */
export const ignored: ReadonlySet<string> = new Set([...responseOnly, 'reject', ...rejectColumns]);

export const isField = (name: string): boolean => (fieldNames as readonly string[]).includes(name);

/** Whether a file is an export of ours, whatever other columns have been added. */
export const isExport = (heading: readonly string[]): boolean => responseOnly.every((name) => heading.includes(name));

/** What a column can be told to mean, besides a custom field. */
export const targets: readonly string[] = [...fieldNames, 'id', 'revision', 'category_name', 'ignore'];

/** Case, blanks, an asterisk and what cannot be seen do not matter. */
const folded = (name: string): string => name.toLowerCase().replaceAll(/[\s\p{Cf}_*-]+/gu, '');

const byFoldedName = new Map([...fieldNames, ...ignored].map((name) => [folded(name), name]));

export function meaningOf(name: string): string | undefined {
  const [prefix = ''] = /^\s*metadata\./i.exec(name) ?? [];
  if (prefix !== '') return customPrefix + name.slice(prefix.length);
  const column = byFoldedName.get(folded(name));
  return column === undefined || targets.includes(column) ? column : 'ignore';
}

/** How other systems call what is a field here, in some languages, without signs. */
const usualNames = {
  name: /^(product|item|article|artikel|produkt)?(name|title|titel|bezeichnung|designation|libelle|nom|nome|nombre|naam|titolo|titulo)$|^(product|item|article|artikel|produkt|produit|producto|produto|articulo|prodotto)$/i,
  value:
    /^(regular|unit|list|variant|retail|net|base|sales|verkaufs|netto|einzel)?(price|preis|prix|precio|preco|prezzo|prijs)/i,
  cost: /^(cost|wholesaleprice|purchaseprice|einkaufspreis)/i,
  sku: /^variantsku$|^((product|item|art|article|artikel|produkt)?(code|codigo|codice|reference|number|no|nr|nummer))$/i,
  pn: /^(variant)?(barcode|gtin|ean|upc|isbn|mpn)|^part(number|no|nr)$/i,
  category: /^(product)?(category|categories|categoria|categorie|kategorie|warengruppe)/i,
  unit: /^(unitofmeasure|uom|einheit|eenheid|unite|unidad|unidade|unita)$/i,
  qty: /^(quantity|stock|stockquantity|menge|bestand|quantite|cantidad|quantidade|quantita|aantal)$/i,
  description: /^(longdescription|body|bodyhtml|beschreibung|omschrijving|descripcion|descricao|descrizione)$/i,
  active: /^(published|enabled|visible|active01|aktiv)$/i,
  tax: /^(taxrate|vat|mwst|ust|iva|tva|btw)/i,
  tag: /^tags$/i,
};

/** What a name seems to mean that is none of ours. */
export function suggestionFor(name: string): string | undefined {
  const bare = name.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]+/gu, '');
  return Object.entries(usualNames).find(([, names]) => names.test(bare))?.[0];
}

/** The names of columns, each of which is another. */
export function namesOf(heading: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return heading.map((text, index) => {
    const name = text.trim() === '' ? `column ${index + 1}` : text;
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}

/**
 * Finds what each column means.
 * @param said as in `Regular price=value,*=ignore`
 * @param isFilled whether there is anything in a column, by its place
 */
export function readColumns(
  names: readonly string[],
  said: string | undefined,
  isFilled: (at: number) => boolean,
): { readonly columns: readonly SheetColumn[]; readonly questions: readonly SheetQuestion[] } {
  const { meanings, wrong } = saidMeanings(said ?? '', names);
  // Without revisions, a file may have the ids of another system.
  const hasRevision = names.some((name) => meaningOf(name) === 'revision');
  const taken = new Map<string, string>();
  const take = (name: string, target: string | undefined, why: SheetColumn['why']): SheetColumn => {
    if (target === undefined || target === 'ignore') return { name, target, why };
    const first = taken.get(target) ?? name;
    if (first !== name) wrong.push(`The columns "${first}" and "${name}" are both ${target}.`);
    taken.set(target, first);
    const key = target.startsWith(customPrefix) ? target.slice(customPrefix.length) : '';
    if (codePoints(key) > maxKey) wrong.push(`The name of a custom field has at most ${maxKey} characters: "${name}".`);
    return { name, target, why };
  };
  const found = names.map((name, at) => {
    const [meaning, own] = [meanings.get(name), meaningOf(name)];
    const target = own === 'id' && !hasRevision ? undefined : own;
    if (meaning === undefined && !isFilled(at)) return take(name, 'ignore', 'empty');
    if (meaning === undefined && target !== undefined) return take(name, target, 'name');
    const due = meaning ?? meanings.get('*');
    const told = due === 'metadata' ? `${customPrefix}${name.trim()}` : due;
    return take(name, told, told === undefined ? undefined : 'said');
  });
  const columns = found.map((column) => {
    const suggestion = column.target === undefined ? suggestionFor(column.name) : undefined;
    if (suggestion === undefined || taken.has(suggestion)) return column;
    taken.set(suggestion, column.name);
    return { ...column, suggestion };
  });
  const unknown = columns.filter(({ target }) => target === undefined).map(({ name }) => JSON.stringify(name));
  if (wrong.length === 0 && unknown.length === 0) return { columns, questions: [] };
  const isRight = wrong.length === 0;
  if (unknown.length > 0) wrong.push(`The file has columns that are unknown: ${unknown.join(', ')}.`);
  wrong.push(`There are ${targets.join(', ')}, and ${customPrefix}color for a custom field color.`);
  const likely = columns.flatMap(({ name, suggestion }) => (suggestion === undefined ? [] : [`${name}=${suggestion}`]));
  const answerWith = (rest: string) => [said, ...likely, rest].filter((one) => one !== undefined).join(',');
  const readings = [
    { answer: answerWith('*=ignore'), shown: 'leaves out the others' },
    { answer: answerWith('*=metadata'), shown: 'keeps the others as custom fields' },
  ];
  return {
    columns,
    questions: [{ option: 'columns', text: wrong.join(' '), readings: isRight ? readings : [] }],
  };
}

const maxKey = limits.metadata.keyLength.max;

/** Reads what a user has said of columns. Names may have commas and equal signs, so they are those of the file. */
function saidMeanings(said: string, names: readonly string[]) {
  const meanings = new Map<string, string>();
  const wrong: string[] = [];
  let part = '';
  for (const piece of said === '' ? [] : said.split(',')) {
    part = part === '' ? piece : `${part},${piece}`;
    const at = part.lastIndexOf('=');
    const [name, meaning] = [part.slice(0, Math.max(at, 0)).trim(), part.slice(at + 1).trim()];
    const exact = [...names, '*'].filter((one) => one.trim() === name);
    const meant = exact.length > 0 ? exact : names.filter((one) => folded(one) === folded(name));
    if (at === -1 || meant.length === 0) continue;
    if (!targets.includes(meaning) && !meaning.startsWith(customPrefix))
      wrong.push(`"${name}" cannot be "${meaning}".`);
    for (const one of meant) meanings.set(one, meaning);
    part = '';
  }
  if (part !== '') wrong.push(`The file has no column for "${part.trim()}".`);
  return { meanings, wrong };
}
