/**
 * Replaces `@aws-sdk/credential-provider-node`, which looks for credentials in a dozen places. The functions pass
 * theirs from environment variables to the client, so this is never called.
 */
export const defaultProvider = () => async (): Promise<never> => {
  throw new Error('The environment variables have no AWS credentials');
};
