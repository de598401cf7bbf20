/** The folder in the cloud assembly with the code that a deployment uploads under this S3 key. */
export const assetFolder = (key: string): string => `asset.${key.replace(/\.zip$/, '')}`;
