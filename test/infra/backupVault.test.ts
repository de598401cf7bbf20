import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { settingsOf } from '../../infra/environments.ts';
import { root } from '../support/programs/program.ts';

const template = readFileSync(join(root, 'infra/backupVault.yaml'), 'utf8');
const numberAfter = (parameter: string, key: string) =>
  Number(new RegExp(`  ${parameter}:\\n(?: {4}.*\\n)*? {4}${key}: (\\d+)`).exec(template)?.[1]);

it('the vault in the other account is locked so that nobody can unlock it, and outlives its stack', () => {
  for (const name of ['MinRetentionDays', 'MaxRetentionDays', 'ChangeableForDays'])
    expect(template).toContain(`        ${name}: !Ref ${name}`);
  expect(numberAfter('ChangeableForDays', 'MinValue')).toBeGreaterThanOrEqual(3);
  expect(template).toMatch(/DeletionPolicy: Retain\n +UpdateReplacePolicy: Retain/);
});

it('the vault in the other account takes copies from the account of the environment, and permits nothing else', () => {
  expect(template.match(/Effect: Allow/g)).toHaveLength(1);
  expect(template).toMatch(
    /Action: backup:CopyIntoBackupVault\n.*\n +Principal:\n +AWS: !Sub .*\$\{SourceAccount\}:root\n/,
  );
});

it('the vault in the other account has no key that somebody could delete', () => {
  expect(template).not.toContain('EncryptionKeyArn');
});

it('the name of the vault in the other account is one that the settings accept', () => {
  const [, name = ''] = /BackupVaultName: !Sub (.*)/.exec(template) ?? [];
  const vault = `arn:aws:backup:eu-central-1:444455556666:backup-vault:${name.replace(/\$\{\w+\}/, 'prod')}`;
  const days = numberAfter('MinRetentionDays', 'Default');
  const settings = { ...settingsOf('prod'), account: '111122223333', backup: { vault, days } };
  expect(settingsOf('prod', settings).backup?.vault).toBe(vault);
});
