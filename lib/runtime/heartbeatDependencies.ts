import type { HeartbeatDependencies } from '../smoke/heartbeatHandler.ts';
import type { CheckResult } from '../smoke/runChecks.ts';
import type { Source } from './environment.ts';
import { variables } from './environment.ts';
import { heartbeatToken } from './heartbeatToken.ts';
import { countMetric, metricNames } from './metrics.ts';

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
    observe: (results) => write(JSON.stringify(lineOf(results, table))),
  };
}

/** One line that is both the heartbeat's log entry and its metric, as for requests. */
function lineOf(results: readonly CheckResult[], table: string | undefined) {
  const failures = results.flatMap(({ failure }) => failure ?? []);
  return {
    level: failures.length > 0 ? 'ERROR' : 'INFO',
    message: 'heartbeat',
    table,
    failures,
    durations: results.map(({ duration }) => duration),
    ...countMetric(metricNames.heartbeatFailures, failures.length),
  };
}
