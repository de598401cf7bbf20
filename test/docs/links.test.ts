import { existsSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { blocks, page, pagePaths, prose } from '../support/programs/pages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Whether a file or folder is in the repository, spelled like this on any machine. */
function exists(path: string): boolean {
  const { dir, base } = posix.parse(path);
  return existsSync(root + path) && (base === '' || readdirSync(root + dir).includes(base));
}

/** The anchor that code hosts give a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsOf = (path: string): string[] =>
  [...prose(page(path)).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));

const isDecision = (path: string): boolean => path.startsWith('docs/decisions/');

/** The links of a page that stay in the repository: the path of what they lead to, and the anchor in it. */
const linksOf = (path: string) =>
  [...prose(page(path)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [file = '', anchor] = target.split('#');
      return { target, file: file === '' ? path : posix.join(posix.dirname(path), file), anchor };
    });

describe.each(pagePaths)('%s', (path) => {
  const text = page(path);

  it('links only to existing files', () => {
    const links = linksOf(path);
    expect(links.length).toBeGreaterThan(0);
    expect(links.filter(({ file }) => !exists(file))).toEqual([]);
  });

  it('links only to existing anchors', () => {
    const missing = linksOf(path).filter(
      ({ file, anchor }) => anchor !== undefined && !anchorsOf(file).includes(anchor),
    );
    expect(missing).toEqual([]);
  });

  it('has no two headings with the same anchor', () => {
    expect(anchorsOf(path)).toEqual([...new Set(anchorsOf(path))]);
  });

  it('names only existing files and folders', () => {
    const named = [...text.matchAll(/`((?:functions|lib|infra|test|bench|docs|\.github)\/[\w./-]*)`/g)].map(
      ([, file = '']) => file,
    );
    expect(named.filter((file) => !exists(file.replace(/\/$/, '')))).toEqual([]);
  });

  it('names only existing npm scripts', () => {
    const scripts = [...text.matchAll(/\bnpm run (?:--silent )?([a-z][a-z-]*)|\bnpm (start|test)\b/g)].map(
      ([, script, short]) => script ?? short ?? '',
    );
    expect(scripts.filter((script) => !Object.hasOwn(packageJson.scripts, script))).toEqual([]);
  });

  it('has well-formed Mermaid diagrams', () => {
    expect(blocks(text, 'mermaid').flatMap(brokenLines)).toEqual([]);
  });
});

/** A node: an id, perhaps with a text in quotes within a shape's brackets. */
const node = String.raw`\w+(?:\["[^"]+"\]|\(\["[^"]+"\]\)|\[\("[^"]+"\)\]|\{"[^"]+"\})?`;
const arrow = String.raw`(?:-->|-\.->)(?:\|"[^"]+"\|)?`;

/** The kinds of pictures that the pages use: how they begin, and what each further line is. */
const kinds = [
  { head: /^flowchart (LR|TD)$/, line: new RegExp(`^  ${node}(?: ${arrow} ${node})*$`) },
  {
    head: /^sequenceDiagram$/,
    line: /^ {2}(?:participant \w+ as .+|Note over \w+(?:,\w+)?: .+|\w+(?:->>|-->>|-x)\w+: .+)$/,
  },
];

/**
 * The lines of a picture that are not in the part of Mermaid that the pages use. A code host shows an error in the place
 * of a picture that it cannot parse.
 */
function brokenLines(picture: string): string[] {
  const [head = '', ...lines] = picture.trimEnd().split('\n');
  const kind = kinds.find((each) => each.head.test(head));
  // In a text, `;` ends a statement and `#` begins an entity.
  return kind === undefined ? [head] : lines.filter((line) => !kind.line.test(line) || /[;#]/.test(line));
}

describe('README', () => {
  const readme = page('README.md');

  it('fits on two screens', () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(130);
  });

  it('links to every other page', () => {
    const others = pagePaths.filter((path) => path !== 'README.md' && !isDecision(path));
    expect(linksOf('README.md').map(({ file }) => file)).toEqual(expect.arrayContaining(others));
  });
});

it('every decision is linked where it matters', () => {
  const linked = pagePaths.filter((path) => !isDecision(path)).flatMap(linksOf);
  expect(linked.map(({ file }) => file)).toEqual(expect.arrayContaining(pagePaths.filter(isDecision)));
});

it('the page for contributors has every folder of the code in its tree', () => {
  const tree = blocks(page('docs/contributing.md'), '')
    .join('')
    .matchAll(/^(\S+)\/ /gm);
  const named = [...tree].map(([, folder = '']) => folder);
  const folders = (parent: string) =>
    readdirSync(root + parent, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => posix.join(parent, name));
  expect(named.filter((folder) => !exists(folder))).toEqual([]);
  const code = folders('').filter((name) => /^[a-z]/.test(name) && !['node_modules', 'lib'].includes(name));
  expect(named.toSorted()).toEqual(
    [...code.filter((name) => !['cdk.out', 'coverage'].includes(name)), ...folders('lib')].toSorted(),
  );
});
