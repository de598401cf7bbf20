import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settingsOf } from '../../../infra/environments.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { root } from '../../support/programs/program.ts';
import { templateOf, theOnly, typesOf } from '../templateOf.ts';

describe('the backup', () => {
  const template = templateOf('prod', optionalSettings);

  it('is of the table alone, each day, copied to the vault in the settings and kept as long as they say', () => {
    const { backup } = optionalSettings;
    expect(theOnly(template, 'AWS::Backup::BackupPlan').BackupPlan.BackupPlanRule).toEqual([
      {
        RuleName: 'daily',
        ScheduleExpression: 'cron(0 3 * * ? *)',
        TargetBackupVault: { 'Fn::GetAtt': [expect.stringMatching(/^backupvault/), 'BackupVaultName'] },
        // For a copy that fails, there is time to repeat it.
        Lifecycle: { DeleteAfterDays: 7 },
        CopyActions: [{ DestinationBackupVaultArn: backup.vault, Lifecycle: { DeleteAfterDays: backup.days } }],
      },
    ]);
    const { BackupSelection } = theOnly(template, 'AWS::Backup::BackupSelection');
    expect(BackupSelection).toEqual({
      IamRoleArn: expect.anything(),
      SelectionName: 'table',
      Resources: [{ 'Fn::GetAtt': ['table', 'Arn'] }],
    });
  });

  it("can be copied back from the vault's account, by nobody else, and uses no key that could be deleted", () => {
    const { AccessPolicy, BackupVaultTags: _, ...vault } = theOnly(template, 'AWS::Backup::BackupVault');
    expect(vault).toEqual({ BackupVaultName: 'catalog-prod' });
    const AWS = 'arn:aws:iam::444455556666:root';
    expect(AccessPolicy.Statement).toEqual([
      { Effect: 'Allow', Action: 'backup:CopyIntoBackupVault', Principal: { AWS }, Resource: '*' },
    ]);
    expect(typesOf(template, 'AWS::KMS')).toEqual([]);
  });
});

describe('the vault in the other account', () => {
  const text = readFileSync(join(root, 'infra/backupVault.yaml'), 'utf8');
  const { Parameters, Resources } = parse(text, { logLevel: 'error' });
  const { Properties, ...vault } = Resources.Vault;

  it('is locked for good, outlives its stack, and has no key that somebody could delete', () => {
    expect(vault).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    expect(Object.keys(Properties)).toEqual(['BackupVaultName', 'AccessPolicy', 'LockConfiguration']);
    const limits = ['MinRetentionDays', 'MaxRetentionDays', 'ChangeableForDays'];
    expect(Properties.LockConfiguration).toEqual(Object.fromEntries(limits.map((name) => [name, name])));
    expect(Parameters.ChangeableForDays.MinValue).toBeGreaterThanOrEqual(3);
  });

  it('takes copies from the account of the environment, and permits nothing else', () => {
    const AWS = `arn:\${AWS::Partition}:iam::\${SourceAccount}:root`;
    expect(Properties.AccessPolicy.Statement).toEqual([
      { Effect: 'Allow', Action: 'backup:CopyIntoBackupVault', Resource: '*', Principal: { AWS } },
    ]);
  });

  it('has a name that the settings accept', () => {
    const name = Properties.BackupVaultName.replace(/\$\{\w+\}/, 'prod');
    const vault = `arn:aws:backup:eu-central-1:444455556666:backup-vault:${name}`;
    const backup = { vault, days: Parameters.MinRetentionDays.Default };
    const settings = { ...settingsOf('prod'), account: '111122223333', backup };
    expect(settingsOf('prod', settings).backup).toEqual(backup);
  });
});
