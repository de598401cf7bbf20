import { describe, expect, it } from 'vitest';
import { readEnvironment } from '../../../lib/runtime/environment.ts';

const source = { CATALOG_TABLE: 'table-1', CATALOG_CORS_ORIGINS: '*' };
const environment = {
  table: 'table-1',
  corsOrigins: ['*'],
  dynamodb: undefined,
  identity: undefined,
  errorsOnly: false,
  region: undefined,
  credentials: undefined,
};
const keys = { AWS_ACCESS_KEY_ID: 'key', AWS_SECRET_ACCESS_KEY: 'secret' };
const credentials = { accessKeyId: 'key', secretAccessKey: 'secret' };

describe('the environment of a function', () => {
  it.each([
    [{}, {}],
    [
      { CATALOG_CORS_ORIGINS: 'https://a.example,https://b.example' },
      { corsOrigins: ['https://a.example', 'https://b.example'] },
    ],
    [{ AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:8000' }, { dynamodb: 'http://127.0.0.1:8000' }],
    [{ AWS_ENDPOINT_URL_DYNAMODB: '' }, {}],
    [{ CATALOG_IDENTITY: '{}' }, { identity: '{}' }],
    [{ CATALOG_IDENTITY: '' }, {}],
    [{ AWS_LAMBDA_LOG_LEVEL: 'ERROR' }, { errorsOnly: true }],
    [{ AWS_REGION: 'eu-central-1' }, { region: 'eu-central-1' }],
    [{ AWS_ACCESS_KEY_ID: 'key' }, {}],
    [{ AWS_SECRET_ACCESS_KEY: 'secret' }, {}],
    [keys, { credentials }],
    [{ ...keys, AWS_SESSION_TOKEN: 'token' }, { credentials: { ...credentials, sessionToken: 'token' } }],
  ])('with %j is parsed as %j', (set, parsed) => {
    expect(readEnvironment({ ...source, ...set })).toEqual({ ...environment, ...parsed });
  });

  it.each(['CATALOG_TABLE', 'CATALOG_CORS_ORIGINS'])('without %s fails with its name', (name) => {
    for (const value of [undefined, ''])
      expect(() => readEnvironment({ ...source, [name]: value })).toThrow(
        `The environment variable ${name} is not set`,
      );
  });
});
