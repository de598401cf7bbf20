import { sizeOf } from '../artifacts.ts';
import type { Findings, Section, Table } from '../section.ts';
import { rounded } from '../statistics.ts';

const kilobytes = (bundle: string): number => rounded(sizeOf(bundle) / 1_000, 1);

/** What is loaded of each function, and of what is beside it. */
export const sizes: Section = async ({ artifacts, sampling, missingPeers, progress }): Promise<Findings> => {
  const trimmed = await artifacts.trimmedSdk('put', "export { put as first } from 'floor.ts';");
  const base = kilobytes(trimmed);
  const rows: Table['rows'][number][] = [];
  const add = (bundle: string, file: string) =>
    rows.push({ bundle, KB: kilobytes(file), '× trimmed SDK': rounded(kilobytes(file) / base) });
  for (const name of sampling.functions) {
    progress(name);
    add(name, await artifacts.function(name));
  }
  add('the trimmed SDK alone', trimmed);
  add('the SDK as usually bundled', await artifacts.usualSdk('put', "export { put as first } from 'floor.ts';"));
  if (missingPeers === undefined) add('the usual stack', await artifacts.usualStack());
  return { tables: [{ title: 'Bundles, minified, in KB of 1,000 bytes', rows }], notes: [missingPeers ?? usualStack] };
};

/** What the usual stack is, for those who read a table with it. */
export const usualStack =
  'The usual stack is middy with its JSON parser and error handler, Powertools logger, metrics and tracer, ' +
  "`import { z } from 'zod'` and the SDK's document client, as esbuild bundles them by itself.";
