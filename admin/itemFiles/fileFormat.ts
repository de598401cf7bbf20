import { extname } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usageError } from '../../cli/options.ts';

const formats = ['csv', 'jsonl'] as const;
export type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <format>', 'if the name of the file does not end with it').choices(formats);

/** By the ending of a name, in any case. All sheets are read alike, whatever they are. */
const byEnding: Readonly<Record<string, Format>> = {
  '.csv': 'csv',
  '.tsv': 'csv',
  '.txt': 'csv',
  '.xlsx': 'csv',
  '.jsonl': 'jsonl',
};

/** The format of a file, by the option or its name, also of its rejects. @throws usageError if it cannot be known */
export function formatOf(file: string, given: Format | undefined): Format {
  const ending = extname(file.replace(/(?:(?:\.\d+)?\.rejects)+$/, '')).toLowerCase();
  const format = given ?? byEnding[ending];
  if (format === undefined)
    throw usageError(`Give '--format', or a file whose name ends with ${Object.keys(byEnding).join(', ')}`);
  return format;
}
