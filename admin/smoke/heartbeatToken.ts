import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { type Source, variables } from '../../lib/runtime/environment.ts';

/** How long a token is used before it is read again, in milliseconds. */
const cacheTime = 5 * 60_000;

/** How long a token of the heartbeat is valid, in milliseconds. */
export const tokenLifetime = 730 * 86_400_000;

export interface HeartbeatToken {
  readonly token: string;
  readonly expiresAt: EpochMs;
}

/**
 * Reads the heartbeat's token from its parameter. It is put there as soon as it is issued, so the time of that says when
 * it expires.
 * @returns undefined if there is none
 */
export async function readHeartbeatToken(client: SSMClient, Name: string): Promise<HeartbeatToken | undefined> {
  const { Parameter } = await client
    .send(new GetParameterCommand({ Name, WithDecryption: true }))
    .catch((error: unknown) => {
      if (error instanceof ParameterNotFound) return { Parameter: undefined };
      throw error;
    });
  const { Value: token, LastModifiedDate: issued = new Date() } = Parameter ?? {};
  return token === undefined ? undefined : { token, expiresAt: issued.getTime() + tokenLifetime };
}

/** Creates a function that reads the heartbeat's token. It returns undefined as long as there is none. */
export function heartbeatToken(source: Source, now = Date.now): () => Promise<HeartbeatToken | undefined> {
  const { [variables.heartbeatToken]: Name } = source;
  if (Name === undefined) return async () => undefined;
  const client = new SSMClient();
  let read: { readonly token: HeartbeatToken | undefined; readonly until: number } | undefined;
  return async () => {
    if (read === undefined || now() >= read.until)
      read = { token: await readHeartbeatToken(client, Name), until: now() + cacheTime };
    return read.token;
  };
}
