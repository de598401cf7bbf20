/** Replaces `@aws-sdk/credential-provider-node`. The client is given credentials, so this is never called. */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('The environment variables have no AWS credentials');
};
