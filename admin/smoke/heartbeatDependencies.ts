import { requiredVariable, type Source, variables } from '../../lib/runtime/environment.ts';
import { metricNames, reportCount } from '../../lib/runtime/metrics.ts';
import type { HeartbeatDependencies } from './heartbeatHandler.ts';
import { heartbeatToken } from './heartbeatToken.ts';

export const heartbeatDependencies = (source: Source): HeartbeatDependencies => ({
  url: requiredVariable(source, variables.url),
  token: heartbeatToken(source),
  needsToken: source[variables.heartbeatToken] !== undefined,
  observe: (results) => {
    const table = source[variables.table];
    const failures = results.flatMap(({ failure }) => failure ?? []);
    const durations = results.map(({ duration }) => duration);
    reportCount(metricNames.heartbeatFailures, failures.length, { message: 'heartbeat', table, failures, durations });
  },
});
