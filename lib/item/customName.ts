const customPrefix = 'metadata.';

/** How a single custom field is named where fields are: in files, conflicts and undos. `metadata.color` */
export const customName = (key: string): string => customPrefix + key;

/** The key of the custom field that a name is of; undefined if it is that of another field. */
export const customKey = (name: string): string | undefined =>
  name.startsWith(customPrefix) ? name.slice(customPrefix.length) : undefined;
