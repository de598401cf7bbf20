/** A JSON text as a test's title shows it: its beginning, and its length when that is not all. */
export const shortened = (json: string): string =>
  json.length > 60 ? `${json.slice(0, 50).toWellFormed()}… (${json.length})` : json;
