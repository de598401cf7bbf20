import type { HeartbeatDependencies } from '../smoke/heartbeatHandler.ts';
import { required, type Source, variables } from './environment.ts';
import { heartbeatToken } from './heartbeatToken.ts';
import { metricNames, reportCount } from './metrics.ts';

/**
 * Creates the heartbeat's dependencies.
 * @param source `process.env`, or a substitute
 */
export const heartbeatDependencies = (source: Source): HeartbeatDependencies => ({
  url: required(source, variables.url),
  token: heartbeatToken(source),
  needsToken: source[variables.heartbeatToken] !== undefined,
  observe: (results) => {
    const table = source[variables.table];
    const failures = results.flatMap(({ failure }) => failure ?? []);
    const durations = results.map(({ duration }) => duration);
    reportCount(metricNames.heartbeatFailures, failures.length, { message: 'heartbeat', table, failures, durations });
  },
});
