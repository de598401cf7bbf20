/** The folder in the cloud assembly whose code a deployment uploads under this S3 key. */
export const assetFolder = (key: string): string => `asset.${key.replace(/\.zip$/, '')}`;
