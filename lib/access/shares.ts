/** How many shares there are. It never changes: callers whose cached share had lost its key would get 403. */
export const shareCount = 64;

/**
 * The API key of a share. It is no secret, because API Gateway takes it from the authorizer only.
 * @param stack its name, because values of keys are unique in an AWS account and region
 * @param index from 0
 */
export const shareKey = (stack: string, index: number): string => `${stack}-account-share-${index}`;
