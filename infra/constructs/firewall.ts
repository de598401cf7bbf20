import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';

/** A web application firewall with a single rule: a rate limit for each IP address. */
export class Firewall extends Construct {
  /** @param rate requests that one address may send in five minutes */
  constructor(scope: Construct, id: string, api: RestApi, rate: number) {
    super(scope, id);
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      // Metrics identify an ACL by this name only.
      visibilityConfig: visible(Stack.of(this).stackName),
      rules: [
        {
          name: 'rate',
          priority: 0,
          action: { block: {} },
          statement: { rateBasedStatement: { limit: rate, aggregateKeyType: 'IP', evaluationWindowSec: 300 } },
          visibilityConfig: visible('rate'),
        },
      ],
    });
    new CfnWebACLAssociation(this, 'association', {
      webAclArn: acl.attrArn,
      resourceArn: api.deploymentStage.stageArn,
    });
  }
}

/** Publishes metrics but no samples of requests, which would contain access tokens. */
const visible = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
