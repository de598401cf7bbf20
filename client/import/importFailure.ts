import { RequestError } from '../http/catalogClient.ts';
import { ImportExpired, ImportNotNoted } from './importEnds.ts';
import type { ImportFailure } from './importState.ts';
import { NotSecure } from './rows.ts';

/**
 * Why an import has ended, or waits.
 * @param other the code of what is none of its own errors
 * @param lineOf the line of a row by its place
 */
export function failureOf(cause: unknown, other: string, lineOf: (place: number) => number = Number): ImportFailure {
  const { message } = cause as Error;
  const lines = cause instanceof ImportExpired ? cause.rows.map(lineOf) : [];
  return { code: codeOf(cause, other), message, lines, cause };
}

function codeOf(cause: unknown, other: string): string {
  if (cause instanceof ImportExpired) return 'expired';
  if (cause instanceof ImportNotNoted) return 'not_noted';
  if (cause instanceof NotSecure) return 'not_secure';
  if (!(cause instanceof RequestError)) return other;
  const isOlder = cause.fields?.some(({ field }) => field === 'match') === true;
  return isOlder ? 'older_service' : cause.code.toLowerCase();
}
