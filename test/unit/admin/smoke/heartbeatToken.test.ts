import { expect, it, vi } from 'vitest';
import { heartbeatToken } from '../../../../admin/smoke/heartbeatHandler.ts';
import { variables } from '../../../../lib/runtime/environment.ts';
import { putAt, startParameters } from '../../../support/standIns/standInParameters.ts';

const Name = '/catalog/test/heartbeat-token';
const source = { [variables.heartbeatToken]: Name };

it('the token is read in clear, with the time 730 days after it was put there, and again after 5 minutes', async () => {
  const parameters = { [Name]: 'first' };
  const requests = await startParameters(parameters);
  let now = 0;
  const token = heartbeatToken(source, () => now);
  expect(await token()).toEqual({ token: 'first', expiresAt: putAt + 730 * 86_400_000 });
  parameters[Name] = 'second';
  now = 299_999;
  expect(await token()).toMatchObject({ token: 'first' });
  now = 300_000;
  expect(await token()).toMatchObject({ token: 'second' });
  expect(requests).toEqual(
    ['first', 'second'].map(() => ({ action: 'AmazonSSM.GetParameter', Name, WithDecryption: true })),
  );
});

it('there is no token as long as there is no parameter, or the setting names none', async () => {
  const requests = await startParameters({});
  expect(await heartbeatToken(source)()).toBeUndefined();
  expect(await heartbeatToken({})()).toBeUndefined();
  expect(requests).toHaveLength(1);
});

it('a token that cannot be read is a failure, not a missing token', async () => {
  await startParameters({});
  vi.stubEnv('AWS_ENDPOINT_URL_SSM', 'http://127.0.0.1:1');
  await expect(heartbeatToken(source)()).rejects.toThrow('ECONNREFUSED');
});
