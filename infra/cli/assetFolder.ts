/** The folder of the assembly that holds the code which a deployment uploads under this key. */
export const assetFolder = (key: string): string => `asset.${key.replace(/\.zip$/, '')}`;
