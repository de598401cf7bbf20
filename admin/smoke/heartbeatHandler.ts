import { GetParameterCommand, ParameterNotFound, SSMClient } from '@aws-sdk/client-ssm';
import type { EpochMs } from '../../lib/item/epoch.ts';
import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import { heartbeatChecks } from './checks.ts';
import { type CheckResult, runChecks } from './runChecks.ts';
import { publicApi } from './smokeApi.ts';

/** How long before its token expires the heartbeat reports that, in milliseconds. */
const notice = 30 * 86_400_000;

export const heartbeatDependencies = (source: Source) => ({
  url: requiredVariable(source, variables.url),
  /** The last one, because API Gateway sends the first one whatever the request says. */
  origin: source[variables.corsOrigins]?.split(',').at(-1),
  token: heartbeatToken(source),
  needsToken: source[variables.heartbeatToken] !== undefined,
  /** @param expiresAt when the token expires; undefined if there is none */
  observe: (results: readonly CheckResult[], expiresAt: EpochMs | undefined): void => {
    const table = source[variables.table];
    const failures = results.flatMap(({ failure }) => failure ?? []);
    const durations = results.map(({ duration }) => duration);
    const isExpiring = expiresAt !== undefined && expiresAt < Date.now() + notice;
    const entry = { message: 'heartbeat', table, failures, durations };
    reportCount(
      metricNames.heartbeatFailures,
      failures.length,
      entry,
      isExpiring ? { [metricNames.expiringToken]: 1 } : {},
    );
  },
});

/** For a response, in milliseconds. The first request without one ends the heartbeat, within the function's timeout. */
export const heartbeatTimeout = 8_000;

const withoutToken: CheckResult = {
  name: 'token',
  failure: 'The heartbeat has no token: npm run admin -- heartbeat gives it one.',
  duration: 0,
};

/** Runs its checks against the API's public address, as callers would, who repeat a request that has failed. */
export const heartbeatHandler =
  ({ url, origin, token, needsToken, observe }: ReturnType<typeof heartbeatDependencies>) =>
  async (): Promise<void> => {
    const given = await token();
    const checks = heartbeatChecks(given?.token, origin);
    const results = await runChecks(publicApi(url, heartbeatTimeout), checks, { attempts: 2 });
    observe(needsToken && given === undefined ? [...results, withoutToken] : results, given?.expiresAt);
  };

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
