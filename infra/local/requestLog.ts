import * as z from 'zod/mini';
import type { AnsweredRequest } from './gateway/answerRequests.ts';

/** More of a path would break the line on most terminals. */
const longestPath = 60;

const refusal = z.object({ error: z.object({ code: z.string() }) });

/** A request in one line for people: time, method, path, status, the error's code if any, and milliseconds. */
export function requestLine({ receivedAt, method, path, response, duration }: AnsweredRequest): string {
  const { status, body } = response;
  const [time = ''] = new Date(receivedAt).toTimeString().split(' ');
  const shown = path.length > longestPath ? `${path.slice(0, longestPath - 1)}…` : path;
  const code = status < 400 ? '' : `${codeOf(String(body))} `;
  return `${time} ${method.padEnd(7)} ${shown} ${status} ${code}${Math.round(duration)} ms`;
}

function codeOf(body: string): string {
  try {
    return z.parse(refusal, JSON.parse(body)).error.code;
  } catch {
    return 'without a code';
  }
}

/** What people need of a function's own line about a request: what caused a failure. */
const functionLine = z.object({ message: z.literal('request'), _aws: z.object({}), error: z.optional(z.unknown()) });

/**
 * Takes the functions' lines of JSON out of what this process prints. The functions run in this process and write to its
 * output, of which AWS Lambda makes their log.
 * @param showFailure is given what caused a failure
 */
export function hideFunctionLines(showFailure: (error: unknown) => void): void {
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = ((text: unknown, ...rest: []) => {
    const line = parseLine(text);
    if (line === undefined) return write(text as string, ...rest);
    if (line.error !== undefined) showFailure(line.error);
    return true;
  }) as typeof stdout.write;
}

function parseLine(text: unknown): z.infer<typeof functionLine> | undefined {
  if (typeof text !== 'string' || !text.startsWith('{')) return undefined;
  try {
    return functionLine.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
