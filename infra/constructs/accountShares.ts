import { CfnApiKey, CfnUsagePlan, CfnUsagePlanKey } from 'aws-cdk-lib/aws-apigateway';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { shareCount, shareKey } from '../../lib/access/shares.ts';
import { operations } from '../../lib/http/operations.ts';
import type { Settings } from '../environments.ts';
import type { CatalogApi } from './catalogApi.ts';

type Shares = NonNullable<Settings['throttling']['shares']>;

/** A usage plan whose keys the authorizer returns, so that each account has a rate that others cannot use up. */
export class AccountShares extends Construct {
  constructor(scope: Construct, id: string, api: CatalogApi, { batches, ...others }: Shares) {
    super(scope, id);
    const { stackName } = Stack.of(this);
    const { path, method } = operations.writeItems;
    const plan = new CfnUsagePlan(this, 'plan', {
      usagePlanName: stackName,
      throttle: limitOf(others),
      apiStages: [
        {
          apiId: api.restApiId,
          stage: api.deploymentStage.stageName,
          throttle: { [`${path}/${method}`]: limitOf(batches) },
        },
      ],
    });
    for (let index = 0; index < shareCount; index += 1) {
      const value = shareKey(stackName, index);
      const key = new CfnApiKey(this, `key${index}`, { name: value, value, enabled: true });
      new CfnUsagePlanKey(this, `member${index}`, { keyId: key.ref, keyType: 'API_KEY', usagePlanId: plan.ref });
    }
  }
}

const limitOf = ({ rate, burst }: { rate: number; burst: number }) => ({ rateLimit: rate, burstLimit: burst });
