/** Splits a source at a text, whose lines a formatter may have broken anew. */
export function splitAt(source: string, text: string): string[] {
  const words = text.trim().split(/\s+/);
  return source.split(new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+')));
}
