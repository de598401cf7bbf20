import { extname } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usageError } from '../../cli/options.ts';

const formats = ['csv', 'jsonl'] as const;
export type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <format>', 'if the name of the file does not end with it').choices(formats);

/** All sheets are read alike, whatever they are. */
const sheets = ['.csv', '.tsv', '.txt', '.xlsx'];

/** The format of a file, by the option or its name, also of its rejects. @throws usageError if it cannot be known */
export function formatOf(file: string, given: Format | undefined): Format {
  const ending = extname(file.replace(/(?:(?:\.\d+)?\.rejects)+$/, '')).toLowerCase();
  if (given !== undefined || ending === '.jsonl') return given ?? 'jsonl';
  if (sheets.includes(ending)) return 'csv';
  throw usageError(`Give '--format', or a file whose name ends with ${sheets.join(', ')}, .jsonl`);
}
