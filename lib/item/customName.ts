const customPrefix = 'metadata.';

/** The name of a custom field in files, conflicts and undos: `metadata.color`. */
export const customName = (key: string): string => customPrefix + key;

/** The key of the custom field with this name; undefined for any other field. */
export const customKey = (name: string): string | undefined =>
  name.startsWith(customPrefix) ? name.slice(customPrefix.length) : undefined;
