import { describe, expect, it } from 'vitest';
import { resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

const vault = 'arn:aws:backup:eu-central-1:444455556666:backup-vault:catalog-prod-copies';
const own = templateWith({ account: '111122223333', keepsData: true, backup: { vault, days: 90 } });
const { BackupPlan: plan } = theOnly(own, 'AWS::Backup::BackupPlan');

describe('the backup', () => {
  it('is made every day, copied to the vault in the settings, and kept there for the number of days in the settings', () => {
    expect(plan.BackupPlanRule).toHaveLength(1);
    const [rule] = plan.BackupPlanRule;
    expect(rule).toMatchObject({
      ScheduleExpression: 'cron(0 3 * * ? *)',
      CopyActions: [{ DestinationBackupVaultArn: vault, Lifecycle: { DeleteAfterDays: 90 } }],
    });
    expect(rule.Lifecycle.DeleteAfterDays).toBeGreaterThan(1);
    expect(theOnly(own, rule.TargetBackupVault['Fn::GetAtt'][0]).BackupVaultName).toBe('changed');
  });

  it('contains only the table', () => {
    const { BackupSelection } = theOnly(own, 'AWS::Backup::BackupSelection');
    expect(BackupSelection.Resources).toEqual([{ 'Fn::GetAtt': ['table', 'Arn'] }]);
    expect(BackupSelection).not.toHaveProperty('ListOfTags');
  });

  it("can be copied back from the vault's account, and by nobody else", () => {
    const { AccessPolicy } = theOnly(own, 'AWS::Backup::BackupVault');
    expect(AccessPolicy.Statement).toEqual([
      expect.objectContaining({
        Effect: 'Allow',
        Action: 'backup:CopyIntoBackupVault',
        Principal: { AWS: expect.anything() },
      }),
    ]);
    expect(JSON.stringify(AccessPolicy.Statement[0].Principal)).toContain(':iam::444455556666:root');
  });

  it('uses no key that could be deleted', () => {
    expect(theOnly(own, 'AWS::Backup::BackupVault')).not.toHaveProperty('EncryptionKeyArn');
    expect(resourcesOf(own, 'AWS::KMS::Key')).toEqual([]);
  });

  it('outlives the stack', () => {
    const [, kept] = resourcesOf(own, 'AWS::Backup::BackupVault')[0] ?? [];
    expect(kept).toMatchObject({ DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' });
  });

  it('is omitted without the setting', () => {
    expect(resourcesOf(templateOf('prod')).filter(([, { Type }]) => Type.startsWith('AWS::Backup'))).toEqual([]);
  });
});
