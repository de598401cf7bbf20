/** Reads amounts as people write them, wherever they live, in forms and in sheets. */

export type DecimalMark = '.' | ',';

/** A number as somebody has typed it, or what it could be. */
export type Amount = { readonly value: number } | { readonly choices: readonly [whole: number, decimal: number] };

/** A text as a number with each decimal mark (undefined: no number), and the currency beside it, as it is written. */
export interface AmountReadings {
  readonly '.': number | undefined;
  readonly ',': number | undefined;
  readonly currency: string;
}

/** The value of a digit of any script: in Unicode, those of a script follow one another. */
function digitOf(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  let value = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(code - value - 1))) value += 1;
  return String(value);
}

/** An amount in the signs that we read: plain digits, minus and blanks, without marks of direction. */
const inPlainSigns = (text: string): string =>
  text
    .replaceAll(/\p{Cf}/gu, '')
    .replaceAll(/[\uff01-\uff5e]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0))
    .replaceAll(/(?!\d)\p{Nd}/gu, digitOf)
    .replaceAll(/[\u2212\u2010-\u2012]/g, '-')
    .replaceAll(/[^\S\t\r\n]/g, ' ')
    .replaceAll('\u066c', "'")
    .trim();

const currency = String.raw`(\p{L}{0,3}\p{Sc}\p{L}{0,3}|[\p{L}\p{M}]{1,5}\.?)`;
const aroundAmount = new RegExp(String.raw`^(?:${currency} ?)?([-+]?[\d.,\u066b].*?)(?: ?${currency})?$`, 'u');

/** Thousands are divided by one sign, which is not the decimal mark, or by commas as in India. */
const grouped = {
  '.': /^[1-9]\d{0,2}([, '’´`])\d{3}(\1\d{3})*(\.\d*)?$|^[1-9]\d?(,\d\d)+,\d{3}(\.\d*)?$/,
  ',': /^[1-9]\d{0,2}([. '’´`])\d{3}(\1\d{3})*(,\d*)?$/,
};
const plain = /^(\d*)(?:[.,](\d*))?(e[-+]?\d+)?$/i;

/** The number of an amount without its currency; undefined: none. */
function numberWith(mark: DecimalMark, amount: string): number | undefined {
  const [sign = '', digits = ''] = [/^[-+]/.exec(amount)?.[0], amount.replace(/^[-+]/, '').replace('\u066b', mark)];
  const other = mark === '.' ? ',' : '.';
  const ungrouped = grouped[mark].test(digits) ? digits.replaceAll(/[^\d.,]/g, '').replaceAll(other, '') : digits;
  const [, whole = '', fraction = '', exponent = ''] = plain.exec(ungrouped) ?? [];
  if (whole + fraction === '' || ungrouped.includes(other)) return undefined;
  const value = Number(`${sign}${whole || 0}.${fraction || 0}${exponent}`);
  return Number.isFinite(value) ? value : undefined;
}

/** Thousands, millions and dozens are no currencies. */
const multiple = /^(k|m|mm|mil|mio|mill|mln|tsd|tys|mrd|bn|dz|тыс|млн|lakh|cr|[百千万萬億亿])\.?$/i;

/**
 * Reads an amount with a decimal point, and with a decimal comma.
 * @example amountReadings('R$ 1.299'); // { '.': 1.299, ',': 1299, currency: 'R$' }
 */
export function amountReadings(text: string): AmountReadings {
  const [, before, written = '', behind] = aroundAmount.exec(inPlainSigns(text)) ?? [];
  // Instead of no cents, people write a line: `12,-`, and in Sweden `12:-`.
  const amount = written.replace(/([.,])[-–—]{1,2}$|:-$/, '$1');
  const beside = before ?? behind ?? '';
  const isAmount = (before === undefined || behind === undefined) && !multiple.test(beside);
  const readWith = (mark: DecimalMark) => (isAmount ? numberWith(mark, amount) : undefined);
  return { '.': readWith('.'), ',': readWith(','), currency: beside };
}

/** Currencies that are written by letters that no other currency has, beside those of ISO 4217. */
const localCurrencies =
  'kr kč zł ft lei din дин лв руб р грн тг сом fcfa cfa rs rp rm tl sfr fr kn br tk 円 元 원'.split(' ');

/** Another word could as well be a unit, or a thousand: `5 kg`, `5 mil`. */
export function isSurelyCurrency(text: string): boolean {
  const word = text.replace('.', '').toLowerCase();
  return (
    /\p{Sc}/u.test(text) ||
    localCurrencies.includes(word) ||
    Intl.supportedValuesOf('currency').includes(word.toUpperCase())
  );
}

/**
 * Reads a number as people type it, whatever their language: `12,50`, `1.299,00 €`, `12,34,567.89`, `١٢٣`. A single mark
 * before three digits says nothing for sure: `1.299` is 1299 or 1.299, which only the user knows.
 * @returns undefined if it is not a number
 * @example readAmount('1.299,00'); // { value: 1299 }
 */
export function readAmount(text: string): Amount | undefined {
  const { '.': point, ',': comma, currency: beside } = amountReadings(text);
  const [value = comma, other = value] = [point, comma];
  if (value === undefined || other === undefined || (beside !== '' && !isSurelyCurrency(beside))) return undefined;
  if (value === other) return { value };
  return Math.abs(value) > Math.abs(other) ? { choices: [value, other] } : { choices: [other, value] };
}
