/** A number as somebody has typed it, or what it could be. */
export type Amount = { readonly value: number } | { readonly choices: readonly [whole: number, decimal: number] };

const typed = /^(-?)(?:([1-9]\d{0,2}(?:([., '’\u00a0\u2009\u202f])\d{3})(?:\3\d{3})*)|(\d*))(?:([.,])(\d*))?$/;

/**
 * Reads a number as people type it, whatever their language: `12,50`, `1.299,00`, `1 299.5`. A single mark before three
 * digits says nothing for sure: `1.299` is 1299 or 1.299, which only the user knows.
 * @returns undefined if it is not a number
 * @example readAmount('1.299,00'); // { value: 1299 }
 */
export function readAmount(text: string): Amount | undefined {
  const [, sign, grouped, group, plain, mark, fraction = ''] = typed.exec(text.trim()) ?? [];
  const whole = (grouped ?? plain ?? '').replaceAll(/\D/g, '');
  if (whole + fraction === '' || (mark !== undefined && mark === group)) return undefined;
  const value = Number(`${sign}${whole || 0}.${fraction || 0}`);
  const isAmbiguous = mark === undefined && (group === '.' || group === ',') && whole.length < 7;
  return isAmbiguous ? { choices: [value, value / 1_000] } : { value };
}
