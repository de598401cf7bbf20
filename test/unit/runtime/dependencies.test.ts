import { expect, it } from 'vitest';
import type { Observation } from '../../../lib/http/observation.ts';
import {
  authorizerDependencies,
  operationDependencies,
  recordChangesDependencies,
} from '../../../lib/runtime/dependencies.ts';
import { writtenLines } from '../../support/standIns/writtenLines.ts';

const environment = { CATALOG_TABLE: 'catalog', CATALOG_CORS_ORIGINS: '*', AWS_REGION: 'us-east-1' };
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
])('a function with the endpoint %j logs with a failure where it looked for its table', (endpoint, logged) => {
  const source = { ...environment, AWS_ENDPOINT_URL_DYNAMODB: endpoint };
  const lines = writtenLines(() => operationDependencies(source, () => () => undefined).observe(failed));
  expect(lines).toMatchObject([{ table: 'catalog', dynamodb: logged }]);
});

it('the recorder logs which image cannot be read, and nothing of what callers typed', () => {
  const { observe } = recordChangesDependencies(environment);
  const image = { account: 'acme', item: 7, sequence: '1' };
  const lines = writtenLines(() => observe(image, new TypeError('not a unit: typed')));
  expect(lines).toMatchObject([{ table: 'catalog', account: 'acme', item: 7, error: 'TypeError' }]);
  expect(JSON.stringify(lines)).not.toContain('typed');
});

it.each([
  [undefined, undefined],
  ['{"stack":"catalog-prod","own":["heartbeat"]}', 'catalog-prod-account-share-0'],
])('the authorizer knows the share of an account by the setting %s', (shares, expected) => {
  const { shareOf } = authorizerDependencies({ ...environment, CATALOG_SHARES: shares });
  expect(shareOf?.('heartbeat')).toBe(expected);
});
