import type { HeartbeatDependencies } from '../smoke/heartbeatHandler.ts';
import type { Source } from './environment.ts';
import { variables } from './environment.ts';
import { heartbeatToken } from './heartbeatToken.ts';
import { countLine, metricNames } from './metrics.ts';

/**
 * Creates the heartbeat's dependencies.
 * @param source `process.env`, or a substitute
 * @param write writes one line, which has no line break
 */
export function heartbeatDependencies(
  source: Source,
  write = (line: string): unknown => process.stdout.write(`${line}\n`),
): HeartbeatDependencies {
  const { [variables.url]: url, [variables.table]: table } = source;
  if (url === undefined) throw new Error(`The environment variable ${variables.url} is not set`);
  return {
    url,
    token: heartbeatToken(source),
    now: Date.now,
    observe: (results) => {
      const failures = results.flatMap(({ failure }) => failure ?? []);
      const durations = results.map(({ duration }) => duration);
      write(
        countLine(metricNames.heartbeatFailures, failures.length, { message: 'heartbeat', table, failures, durations }),
      );
    },
  };
}
