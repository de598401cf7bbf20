import { BackupPlan, BackupPlanRule, BackupResource, BackupVault } from 'aws-cdk-lib/aws-backup';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { Schedule } from 'aws-cdk-lib/aws-events';
import { AccountPrincipal, PolicyDocument, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { Arn, ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { Settings } from '../environments.ts';

type BackupSettings = NonNullable<Settings['backup']>;

/** How long a backup is kept in this account. Until then, a failed copy can be repeated. */
const keptHere = Duration.days(7);

/** The vault's account and name. */
export function vaultOf({ vault }: BackupSettings): { account: string; name: string } {
  const { account = '', resourceName: name = '' } = Arn.split(vault, ArnFormat.COLON_RESOURCE_NAME);
  return { account, name };
}

/**
 * A daily backup of the table, copied to a vault in another account, because whoever controls this account can disable
 * point-in-time recovery. Both vaults encrypt with the key that AWS manages for AWS Backup: a customer managed key could
 * be deleted, which would make the locked backups unreadable.
 */
export class TableBackup extends Construct {
  constructor(scope: Construct, id: string, table: Table, backup: BackupSettings) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    // AWS Backup only restores a backup in the account that has it, so the other account may copy one back.
    const copyBack = new PolicyStatement({
      principals: [new AccountPrincipal(vaultOf(backup).account)],
      actions: ['backup:CopyIntoBackupVault'],
      resources: ['*'],
    });
    const plan = new BackupPlan(this, 'plan', {
      backupPlanName: stackName,
      backupVault: new BackupVault(this, 'vault', {
        backupVaultName: stackName,
        accessPolicy: new PolicyDocument({ statements: [copyBack] }),
        removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      }),
    });
    plan.addRule(
      new BackupPlanRule({
        ruleName: 'daily',
        scheduleExpression: Schedule.cron({ hour: '3', minute: '0' }),
        deleteAfter: keptHere,
        copyActions: [
          {
            destinationBackupVault: BackupVault.fromBackupVaultArn(this, 'copies', backup.vault),
            deleteAfter: Duration.days(backup.days),
          },
        ],
      }),
    );
    plan.addSelection('table', { resources: [BackupResource.fromDynamoDbTable(table)] });
    Validations.of(plan).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSBackupServiceRolePolicyForBackup]',
      reason:
        'AWS extends this policy when AWS Backup needs more permissions. A policy of our own would fail some day.',
    });
  }
}
