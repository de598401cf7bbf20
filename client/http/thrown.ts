/** The text of what was thrown, which may be anything: an error, a text, or an object of some library. */
export function thrownText(thrown: unknown, other = 'Something unexpected has failed.'): string {
  const text: unknown = typeof thrown === 'string' ? thrown : Object(thrown).message;
  return typeof text === 'string' && text !== '' ? text : other;
}

/** Engines say so, in English, of a defect of a program. What they say of a network is in the system's language. */
const defects =
  /\bis not (a|an|iterable|defined|undefined)\b|\b(undefined|null)\b|can't access|Illegal invocation|\balready\b|disturbed|Failed to execute/;

/** Whether what was thrown by something that uses the network is a defect of that: to try again would not help. */
export const isDefect = (thrown: unknown): boolean =>
  ['TypeError', 'ReferenceError'].includes(Object(thrown).name) && defects.test(thrownText(thrown));
