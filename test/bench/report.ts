import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, release, totalmem } from 'node:os';
import { findEngineProgram } from '../../infra/local/engine/findEngineProgram.ts';
import { svgOf } from './chart.ts';
import type { Findings, Table } from './section.ts';

const docs = new URL('../../docs/', import.meta.url);

/** Writes what was found to the page and the pictures beside it. */
export function writeReport(findings: readonly Findings[], peers: Readonly<Record<string, string>>): void {
  const charts = findings.flatMap((each) => each.charts ?? []);
  for (const chart of charts) writeFileSync(new URL(`${chart.name}.svg`, docs), svgOf(chart));
  const sections = findings.map(({ tables, notes = [], charts: pictures = [] }) =>
    [...tables.map(markdown), ...notes, ...pictures.map(({ name, title }) => `![${title}](${name}.svg)`)].join('\n\n'),
  );
  writeFileSync(new URL('bench.md', docs), `${[introduction, machine(peers), ...sections].join('\n\n')}\n`);
}

const introduction = `# Measurements

Written by \`npm run bench -- --write\`. Do not edit it. What is measured are the bundles that are deployed, with the environment variables that the stack's template gives them. Milliseconds are those of the machine below and of nothing else. Ratios are of paired runs, and hold elsewhere.

In the pictures, blue is this service, grey the floor: the SDK alone, or the fewest commands written out by hand. Yellow are others.`;

function machine(peers: Readonly<Record<string, string>>): string {
  const [{ model = 'unknown' } = {}] = cpus();
  const rows = {
    date: new Date().toISOString().slice(0, 10),
    commit: commit(),
    machine: `${availableParallelism()} cores of ${model.trim()}, ${Math.round(totalmem() / 2 ** 30)} GB, ${process.platform} ${release()}`,
    Node: process.version,
    engine: execFileSync(findEngineProgram(), ['--version'], { encoding: 'utf8' }).trim(),
    SDK: JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).dependencies[
      '@aws-sdk/client-dynamodb'
    ],
    others: Object.entries(peers)
      .map((each) => each.join(' '))
      .join(', '),
  };
  return ['| | |', '|---|---|', ...Object.entries(rows).map(([name, value]) => `| ${name} | ${value} |`)].join('\n');
}

/** What was measured: the commit, and whether there were changes beyond it. */
function commit(): string {
  try {
    return execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

/** A table of the page. */
function markdown({ title, rows }: Table): string {
  const columns = Object.keys(rows[0] ?? {});
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.join(' | ')} |`;
  const table = [
    line(columns),
    `|${columns.map((_, index) => (index === 0 ? '---' : '--:')).join('|')}|`,
    ...rows.map((row) => line(columns.map((column) => row[column]))),
  ];
  return `## ${title}\n\n${table.join('\n')}`;
}
