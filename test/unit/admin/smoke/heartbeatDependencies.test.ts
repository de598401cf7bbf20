import { expect, it, onTestFinished, vi } from 'vitest';
import { heartbeatDependencies } from '../../../../admin/smoke/heartbeatDependencies.ts';

const passed = { name: 'A', failure: undefined, duration: 3 };
const failed = { name: 'B', failure: 'B failed.', duration: 4 };

it('logs one line per heartbeat that is both its log entry and its metric', () => {
  const lines: string[] = [];
  const source = { CATALOG_URL: 'https://api.test/', CATALOG_TABLE: 'table-1' };
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((line) => lines.push(String(line)) > 0);
  onTestFinished(() => write.mockRestore());
  const { url, observe } = heartbeatDependencies(source);
  observe([passed, failed]);
  observe([passed]);
  expect(url).toBe('https://api.test/');
  const [bad, good] = lines.map((line) => JSON.parse(line));
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

it('fails at startup without an address', () => {
  expect(() => heartbeatDependencies({ CATALOG_TABLE: 'table-1' })).toThrow('CATALOG_URL is not set');
});
