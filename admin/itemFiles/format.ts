import { extname } from 'node:path';
import { Option } from '@commander-js/extra-typings';
import { usageError } from '../../cli/options.ts';

const formats = ['csv', 'jsonl'] as const;
/** `csv` is any sheet. */
export type Format = (typeof formats)[number];

export const formatOption = () =>
  new Option('--format <format>', 'if the name of the file does not end with it').choices(formats);

/** The format of a file, by the option or its name, also of its rejects. */
export function formatOf(file: string, given: Format | undefined): Format {
  const ending = extname(file.replace(/(?:(?:\.\d+)?\.rejects)+$/, ''));
  const format = given ?? (ending === '.xlsx' ? 'csv' : formats.find((each) => ending === `.${each}`));
  if (format === undefined) throw usageError("Give '--format', or a file whose name ends with .csv or .jsonl");
  return format;
}
