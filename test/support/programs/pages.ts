import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The repository's root folder, with a slash at its end. */
const root = fileURLToPath(new URL('../../../', import.meta.url));

export const pagePaths: readonly string[] = [
  'README.md',
  'bench/README.md',
  'lib/store/sdk/README.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];

/** @param path as in {@link pagePaths} */
export const page = (path: string): string => readFileSync(root + path, 'utf8');

/** The blocks of code of a page in one language, without their fences. */
export const blocks = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)].flatMap(([, of, code = '']) => (of === language ? [code] : []));

/** A page without its code blocks, in which `#` and `](` are not Markdown. */
export const prose = (text: string): string => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/**
 * The cells of the first table after a text of a page, without its header.
 * @throws an error if the page lacks the text
 */
export function tableAfter(text: string, start: string): string[][] {
  const from = text.indexOf(start);
  if (from === -1) throw new Error(`The page does not say "${start}"`);
  const [, table = ''] = text.slice(from).split(/\n\n(?=\|)/);
  const [rows = ''] = table.split('\n\n');
  return rows
    .trim()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** The texts in backticks in a cell. */
export const codeIn = (cell = ''): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
