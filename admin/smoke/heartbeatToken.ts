import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import { type Source, variables } from '../../lib/runtime/environment.ts';

/** How long a token is used before it is read again, in milliseconds. */
const cacheTime = 5 * 60_000;

/** Creates a function that reads the heartbeat's token. It returns undefined as long as there is none. */
export function heartbeatToken(source: Source, now = Date.now): () => Promise<string | undefined> {
  const { [variables.heartbeatToken]: Name } = source;
  if (Name === undefined) return async () => undefined;
  const client = new SSMClient();
  let read: { readonly token: string | undefined; readonly until: number } | undefined;
  return async () => {
    if (read === undefined || now() >= read.until) {
      const { Parameter } = await client
        .send(new GetParameterCommand({ Name, WithDecryption: true }))
        .catch((error: unknown) => {
          if (error instanceof ParameterNotFound) return { Parameter: undefined };
          throw error;
        });
      read = { token: Parameter?.Value, until: now() + cacheTime };
    }
    return read.token;
  };
}
