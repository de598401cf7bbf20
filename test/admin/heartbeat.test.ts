import { expect, it } from 'vitest';
import { settingsOf } from '../../infra/environments.ts';
import { startParameters } from '../support/standIns/standInParameters.ts';
import { createTestTable } from '../support/table/testTable.ts';
import { operatorOf } from './operator.ts';

const { heartbeatToken: Name = '' } = settingsOf('prod');

it('stores a token of two years for the heartbeat in the parameter of the settings, and replaces it', async () => {
  const table = await createTestTable();
  const { run, callerOf } = operatorOf(table);
  const parameters: Record<string, string> = {};
  const requests = await startParameters(parameters);
  const put = { action: 'AmazonSSM.PutParameter', Name, Type: 'SecureString', Overwrite: true };
  for (const _ of ['first', 'second']) {
    const { text, data } = await run('heartbeat', { env: 'prod' });
    const { [Name]: token = '' } = parameters;
    const { id, expires } = data as Record<'id' | 'expires', string>;
    expect(await callerOf(token)).toEqual({
      account: 'heartbeat',
      user: 'heartbeat',
      permissions: ['catalog:edit'],
      expiresAt: Date.parse(expires) / 1000,
    });
    expect(Date.parse(expires) - Date.now()).toBeCloseTo(2 * 365 * 86_400_000, -7);
    expect(text).toContain(`uses the token ${id} within 5 minutes. It expires ${expires}.`);
    expect(text).not.toContain(token);
    expect(requests.at(-1)).toEqual(put);
  }
  expect(requests).toHaveLength(2);
});

it('rejects an environment without the setting, and the service on this machine', async () => {
  const { run } = operatorOf(await createTestTable());
  await expect(run('heartbeat', { env: 'dev' })).rejects.toThrow(
    'The setting dev.heartbeatToken in infra/environments.ts is not set.',
  );
  await expect(run('heartbeat', {})).rejects.toThrow("The command 'heartbeat' needs '--env'");
});
