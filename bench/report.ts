import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import packageJson from '../package.json' with { type: 'json' };
import { type Bar, svgOf } from './chart.ts';
import peers from './package.json' with { type: 'json' };
import { project } from './programs.ts';

/** Rows whose columns have the same names. */
export interface Table {
  readonly title: string;
  readonly rows: readonly Readonly<Record<string, string | number>>[];
}

/** The results: all tables, and of these the summary, which the design page shows with the picture. */
export interface Report {
  readonly tables: readonly Table[];
  readonly summary: Table;
  readonly bars: readonly Bar[];
}

/** Writes the summary into docs/design.md, and the other results into bench/README.md. */
export function writeReport({ tables, summary, bars }: Report): void {
  const others = tables.filter((table) => table !== summary);
  const sections = others.map(({ title, rows }) => `### ${title}\n\n${markdown(rows)}`);
  replaceResults('bench/README.md', [circumstances(), ...sections].join('\n\n'));
  replaceResults('docs/design.md', markdown(summary.rows));
  writeFileSync(join(project, 'docs/bench.svg'), svgOf('CPU of init', 'ms', bars));
}

/** Replaces what is between the marks in a page. */
function replaceResults(file: string, text: string): void {
  const page = readFileSync(join(project, file), 'utf8');
  const marked = /(?<=<!-- results of npm run bench -->\n)[\s\S]*(?=<!-- end of results -->)/;
  writeFileSync(join(project, file), page.replace(marked, `\n${text}\n\n`));
}

function circumstances(): string {
  const memory = Math.round(totalmem() / 2 ** 30);
  const commit = execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' }).trim();
  const libraries = {
    SDK: packageJson.dependencies['@aws-sdk/client-dynamodb'],
    dynoxide: packageJson.optionalDependencies['@dynoxide/linux-x64'],
    ...peers.dependencies,
  };
  return [
    `Measured on ${new Date().toISOString().slice(0, 10)} at the commit ${commit}, on ${availableParallelism()} cores of`,
    `${cpus()[0]?.model.trim()} with ${memory} GB, with Node ${process.versions.node},`,
    `${Object.entries(libraries)
      .map((each) => each.join(' '))
      .join(', ')}.`,
  ].join(' ');
}

function markdown(rows: Table['rows']): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.join(' | ')} |`;
  const head = [line(columns), `|${columns.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`];
  return [...head, ...rows.map((row) => line(columns.map((column) => row[column])))].join('\n');
}
