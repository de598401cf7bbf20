import { hasVisibleCharacters } from './text.ts';

/** Every rule that a field or a parameter can break, for programs. One that begins with `min` or `max` has a limit. */
export const rules = [
  'required',
  'type',
  'choice',
  'min',
  'max',
  'max_length',
  'max_items',
  'max_depth',
  'max_bytes',
  'pattern',
  'unknown_reference',
  'taken',
  'exclusive',
  'repeated',
  'unknown_parameter',
] as const;

/** Why a value was rejected: `reason` completes the sentence "<field> …" for people. */
export interface Violation {
  readonly reason: string;
  readonly rule: (typeof rules)[number];
  readonly limit?: number;
}

/** The violations by names that are not known. @param reason completes "<name> …" */
export const unknownNames = (
  sent: Iterable<string>,
  known: object,
  reason: string,
): (Violation & { field: string })[] =>
  [...sent]
    .filter((name) => !Object.hasOwn(known, name))
    .map((name) => ({ field: shownName(name), reason, rule: 'unknown_parameter' }));

/** Without this, the error for `?=1` would name nothing. */
const shownName = (name: string): string => (hasVisibleCharacters(name) ? name : '(unnamed)');

/** Lists what can be chosen, at most 30 of it. */
export const listed = (choices: readonly string[]): string =>
  choices.length > 30 ? `${choices.slice(0, 30).join(', ')}, and ${choices.length - 30} more` : choices.join(', ');

/** A lone surrogate could not be stored as it is. */
export const malformedText: Violation = { reason: 'must be well-formed Unicode', rule: 'pattern' };

/** The parameters of a schema's own check. If it fails, the checks after it are skipped. */
export const violation = ({ reason, ...params }: Violation) => ({ error: reason, params, abort: true });
