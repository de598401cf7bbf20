import type { CompletedRequest } from './gateway/startGateway.ts';

/** Longer paths would wrap on most terminals. */
const longestPath = 60;

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
    return JSON.parse(body).error.code;
  } catch {
    return 'without a code';
  }
}
