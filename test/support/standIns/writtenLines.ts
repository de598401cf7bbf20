import { onTestFinished, vi } from 'vitest';

/** What a task writes to standard output, which is the log of a function: each line as an object. */
export function writtenLines(work: () => void) {
  const lines: string[] = [];
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  onTestFinished(() => write.mockRestore());
  work();
  return lines.map((line) => JSON.parse(line));
}
