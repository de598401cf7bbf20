import { expect, it, vi } from 'vitest';
import type { Observation } from '../../../lib/http/observation.ts';
import { operationDependencies } from '../../../lib/runtime/dependencies.ts';

const failed: Observation = {
  requestId: 'request-1',
  operation: 'getItem',
  account: 'acme',
  status: 503,
  code: 'SERVICE_UNAVAILABLE',
  replayed: false,
  duration: 12,
  stats: undefined,
  cause: new Error('not reached'),
};

it.each([
  ['http://127.0.0.1:1', 'http://127.0.0.1:1'],
  ['', 'default endpoint (AWS_ENDPOINT_URL_DYNAMODB is not set)'],
])('a function with the endpoint %j logs with a failure where it looked for its table', (endpoint, told) => {
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  const environment = { CATALOG_TABLE: 'catalog', CATALOG_CORS_ORIGINS: '*', AWS_REGION: 'us-east-1' };
  const source = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint };
  operationDependencies(source, () => () => undefined).observe(failed);
  const [[line]] = write.mock.calls as [[string]];
  write.mockRestore();
  expect(JSON.parse(line)).toMatchObject({ table: 'catalog', dynamodb: told });
});
