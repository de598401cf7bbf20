import { usageError } from '../../cli/program.ts';

/** @throws usageError for a file of JSON Lines, which earlier versions wrote and read */
export function refuseJsonLines(path: string): void {
  if (/\.(jsonl|ndjson)((\.\d+)?\.rejects)*$/i.test(path))
    throw usageError('Use a .csv file: JSON Lines are no longer imported or exported');
}
