/** A table of docs/scale.md. */
export interface PageTable {
  /** The heading that it follows. */
  readonly after: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A number as the page shows it, with at most this many decimals. */
export const shown = (number: number, decimals = 0): string =>
  Number.isFinite(number) ? number.toLocaleString('en', { maximumFractionDigits: decimals }) : '–';

export const percent = (share: number): string => `${shown(share * 100, share < 0.1 ? 1 : 0)} %`;

export const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** @returns the table in Markdown, without a line break at its end */
export const markdown = ({ head, rows }: PageTable): string =>
  [line(head), `${head.map(() => '|---').join('')}|`, ...rows.map(line)].join('\n');

/**
 * Replaces the first table after its heading.
 * @throws an error if the page lacks the heading, or a table after it
 */
export function replaceTable(page: string, table: PageTable): string {
  const from = page.indexOf(`${table.after}\n`);
  const start = page.indexOf('\n\n|', from) + 2;
  if (from === -1 || start === 1) throw new Error(`The page has no table after "${table.after}"`);
  const end = page.indexOf('\n\n', start);
  return page.slice(0, start) + markdown(table) + (end === -1 ? '\n' : page.slice(end));
}
