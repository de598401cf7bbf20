import * as z from 'zod/mini';
import type { CompletedRequest } from './gateway/handleRequests.ts';

/** Longer paths would wrap on most terminals. */
const longestPath = 60;

const refusal = z.object({ error: z.object({ code: z.string() }) });

/** One line per request for people: time, method, path, status, error code if any, and milliseconds. */
export function requestLine({ receivedAt, method, path, response, duration }: CompletedRequest): string {
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

/** The part of a function's log line that people need: the error, if the request failed. */
const functionLine = z.object({ message: z.literal('request'), _aws: z.object({}), error: z.optional(z.unknown()) });

/**
 * Hides the functions' JSON log lines. The functions run in this process and write their log to its standard output, as
 * on AWS Lambda.
 * @param showFailure called with the error of a failed request
 */
export function hideFunctionLogs(showFailure: (error: unknown) => void): void {
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
