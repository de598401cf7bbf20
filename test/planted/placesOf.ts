/** A source cut at each place of a planted text, whose lines a formatter may have broken anew. */
export function placesOf(source: string, text: string): string[] {
  const words = text.trim().split(/\s+/);
  return source.split(new RegExp(words.map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('\\s+')));
}
