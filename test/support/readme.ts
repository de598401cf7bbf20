import { readFileSync } from 'node:fs';

export const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

/** The cells of a table's rows, below its header. */
export const tableAfter = (heading: string): string[][] => {
  const [, table = ''] = readme.slice(readme.indexOf(heading)).split(/\n\n(?=\|)/);
  const [rows = ''] = table.split('\n\n');
  return rows
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
};
