import { expect, it } from 'vitest';
import { heartbeatDependencies } from '../../../../admin/smoke/heartbeatHandler.ts';
import { writtenLines } from '../../../support/standIns/writtenLines.ts';

const source = { CATALOG_URL: 'https://api.test/', CATALOG_TABLE: 'table-1' };

const passed = { name: 'A', failure: undefined, duration: 3 };
const failed = { name: 'B', failure: 'B failed.', duration: 4 };

const day = 86_400_000;

it('logs one line per heartbeat that is both its log entry and its metric', () => {
  const { url, observe } = heartbeatDependencies(source);
  expect(url).toBe('https://api.test/');
  const [bad, good] = writtenLines(() => {
    observe([passed, failed], undefined);
    observe([passed], Date.now() + 31 * day);
  });
  expect(bad).toMatchObject({
    level: 'ERROR',
    message: 'heartbeat',
    table: 'table-1',
    failures: ['B failed.'],
    durations: [3, 4],
    HeartbeatFailures: 1,
    _aws: {
      CloudWatchMetrics: [
        { Namespace: 'Catalog', Dimensions: [['table']], Metrics: [{ Name: 'HeartbeatFailures', Unit: 'Count' }] },
      ],
    },
  });
  expect(good).toMatchObject({ level: 'INFO', failures: [], HeartbeatFailures: 0 });
});

it('reports its token in the last 30 days, which is no error', () => {
  const { observe } = heartbeatDependencies(source);
  const [early, late, bad] = writtenLines(() => {
    observe([passed], Date.now() + 30 * day + 60_000);
    observe([passed], Date.now() + 30 * day - 60_000);
    observe([failed], Date.now() - day);
  });
  const metricsOf = ({ _aws }: typeof late) => _aws.CloudWatchMetrics[0].Metrics.map(({ Name }: typeof late) => Name);
  expect([early, late, bad].map(metricsOf)).toEqual([
    ['HeartbeatFailures'],
    ['HeartbeatFailures', 'ExpiringToken'],
    ['HeartbeatFailures', 'ExpiringToken'],
  ]);
  expect(late).toMatchObject({ level: 'INFO', HeartbeatFailures: 0, ExpiringToken: 1 });
  expect(bad).toMatchObject({ level: 'ERROR', HeartbeatFailures: 1, ExpiringToken: 1 });
});

it('fails at startup without an address', () => {
  expect(() => heartbeatDependencies({ CATALOG_TABLE: 'table-1' })).toThrow('CATALOG_URL is not set');
});
