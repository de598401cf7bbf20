import { createInterface } from 'node:readline';

/** Asks a question on standard error, and returns the next line of standard input; empty if there is none. */
export async function askOnTerminal(question: string): Promise<string> {
  process.stderr.write(question);
  const lines = createInterface({ input: process.stdin });
  for await (const line of lines) return line.trim();
  return '';
}
