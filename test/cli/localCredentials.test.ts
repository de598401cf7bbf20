import { describe, expect, it } from 'vitest';
import { localClientConfig } from '../../cli/localCredentials.ts';

describe('localClientConfig', () => {
  it('provides a region and credentials for an empty environment', () => {
    expect(localClientConfig({})).toEqual({
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    });
  });

  it('prefers the values in the shell, including the session token', () => {
    const own = { AWS_REGION: 'eu-west-1', AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b', AWS_SESSION_TOKEN: 'c' };
    expect(localClientConfig(own)).toEqual({
      region: 'eu-west-1',
      credentials: { accessKeyId: 'a', secretAccessKey: 'b', sessionToken: 'c' },
    });
  });
});
