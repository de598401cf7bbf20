import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnLoggingConfiguration, CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { ArnFormat, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import {
  anyOrigin,
  commonHeaders,
  corsHeaders,
  type RequestHeader,
  type ResponseHeaders,
} from '../../lib/http/headers.ts';
import { errors } from '../../lib/item/errors.ts';
import type { Settings } from '../environments.ts';
import { RetainedLogs } from './retainedLogs.ts';

type FirewallSettings = NonNullable<Settings['firewall']>;
type ManagedRules = NonNullable<FirewallSettings['managedRules']>[number];

/** Rules are evaluated in the order in which they are listed. */
type Rule = Omit<CfnWebACL.RuleProperty, 'priority'>;

/** The names of the rate limits. Metrics use the same names. */
export const rateRules = { token: 'token', address: 'address' } as const;

/**
 * The managed rules that only count, because they would block what the API accepts: any text in bodies and queries,
 * bodies larger than 8 KB, queries longer than 2 KB (a cursor and a search together), and clients without a
 * `User-Agent`.
 */
const countedRules: Readonly<Record<ManagedRules, readonly string[]>> = {
  AWSManagedRulesAmazonIpReputationList: [],
  AWSManagedRulesKnownBadInputsRuleSet: [
    'JavaDeserializationRCE_BODY',
    'JavaDeserializationRCE_QUERYSTRING',
    'Log4JRCE_BODY',
    'Log4JRCE_QUERYSTRING',
    'ReactJSRCE_BODY',
  ],
  AWSManagedRulesCommonRuleSet: [
    'CrossSiteScripting_BODY',
    'CrossSiteScripting_QUERYARGUMENTS',
    'EC2MetaDataSSRF_BODY',
    'EC2MetaDataSSRF_QUERYARGUMENTS',
    'GenericLFI_BODY',
    'GenericLFI_QUERYARGUMENTS',
    'GenericRFI_BODY',
    'GenericRFI_QUERYARGUMENTS',
    'NoUserAgent_HEADER',
    'RestrictedExtensions_QUERYARGUMENTS',
    'SizeRestrictions_BODY',
    'SizeRestrictions_QUERYSTRING',
  ],
};

/**
 * A web application firewall. A request beyond a rate limit gets 429, the custom response that is defined here. A
 * request that a managed rule blocks gets 403, API Gateway's response `WAF_FILTERED`.
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, settings: Settings, firewall: FirewallSettings, api: RestApi) {
    super(scope, id);
    const { tokenRate, addressRate, managedRules = [] } = firewall;
    const rules: Rule[] = [
      rateRule(rateRules.address, addressRate, { aggregateKeyType: 'IP' }),
      rateRule(rateRules.token, tokenRate, { aggregateKeyType: 'CUSTOM_KEYS', customKeys: [{ header: tokenHeader }] }),
      ...managedRules.map(managedRule),
    ];
    const acl = new CfnWebACL(this, 'acl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      // Metrics identify an ACL only by this name.
      visibilityConfig: visible(Stack.of(this).stackName),
      rules: rules.map((rule, priority) => ({ ...rule, priority })),
      customResponseBodies: { [tooManyRequests]: { contentType: 'APPLICATION_JSON', content: tooManyRequestsBody } },
      dataProtectionConfig: { dataProtections },
    });
    new CfnWebACLAssociation(this, 'association', {
      webAclArn: acl.attrArn,
      resourceArn: api.deploymentStage.stageArn,
    });
    this.#log(acl, settings);
  }

  /** Logs the requests that were blocked or counted, without tokens and callers' text. The access log has the others. */
  #log(acl: CfnWebACL, settings: Settings): void {
    // AWS WAF only accepts log groups with this prefix, and an ARN without the `:*` at the end of the CDK's own.
    const logGroup = new RetainedLogs(this, 'logs', settings, `aws-waf-logs-${Stack.of(this).stackName}`);
    const arn = { service: 'logs', resource: 'log-group', resourceName: logGroup.logGroupName };
    const actions = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'];
    new CfnLoggingConfiguration(this, 'logging', {
      resourceArn: acl.attrArn,
      logDestinationConfigs: [Stack.of(this).formatArn({ ...arn, arnFormat: ArnFormat.COLON_RESOURCE_NAME })],
      loggingFilter: {
        DefaultBehavior: 'DROP',
        Filters: [
          {
            Behavior: 'KEEP',
            Requirement: 'MEETS_ANY',
            Conditions: actions.map((Action) => ({ ActionCondition: { Action } })),
          },
        ],
      },
    });
  }
}

const authorization: RequestHeader = 'authorization';
/** Makes the same token count as one, regardless of the case of "Bearer" and the number of spaces after it. */
const spellings = ['LOWERCASE', 'COMPRESS_WHITE_SPACE'];
const tokenHeader = {
  name: authorization,
  textTransformations: spellings.map((type, priority) => ({ type, priority })),
};

const tooManyRequests = 'tooManyRequests';
const { message, status } = errors.TOO_MANY_REQUESTS;
const tooManyRequestsBody = JSON.stringify({ error: { message, code: 'TOO_MANY_REQUESTS' } });

const { 'content-type': _, ...headers } = commonHeaders;
const tooManyRequestsHeaders: ResponseHeaders = {
  ...headers,
  ...corsHeaders([anyOrigin], undefined),
  // AWS WAF cannot send the request's id. A user who reports this value points to the right log.
  'x-request-id': 'firewall',
  // The limit covers five minutes and counts blocked requests too, so retrying every second would prolong the block.
  'retry-after': '60',
};

const rateRule = (
  name: string,
  limit: number,
  keys: Pick<CfnWebACL.RateBasedStatementProperty, 'aggregateKeyType' | 'customKeys'>,
): Rule => ({
  name,
  action: {
    block: {
      customResponse: {
        responseCode: status,
        customResponseBodyKey: tooManyRequests,
        responseHeaders: Object.entries(tooManyRequestsHeaders).map(([name, value]) => ({ name, value })),
      },
    },
  },
  statement: { rateBasedStatement: { limit, evaluationWindowSec: 300, ...keys } },
  visibilityConfig: visible(name),
});

const managedRule = (name: ManagedRules): Rule => ({
  name,
  overrideAction: { none: {} },
  statement: {
    managedRuleGroupStatement: {
      vendorName: 'AWS',
      name,
      ruleActionOverrides: countedRules[name].map((rule) => ({ name: rule, actionToUse: { count: {} } })),
    },
  },
  visibilityConfig: visible(name),
});

/**
 * Keeps logs free of tokens, which are hashed so that they can be told apart, and of everything that a caller typed.
 */
const dataProtections: CfnWebACL.DataProtectProperty[] = [
  { field: { fieldType: 'SINGLE_HEADER', fieldKeys: [authorization, 'cookie'] }, action: 'HASH' },
  { field: { fieldType: 'QUERY_STRING' }, action: 'SUBSTITUTION' },
  { field: { fieldType: 'BODY' }, action: 'SUBSTITUTION' },
];

/** Publishes metrics, but no samples of requests. */
const visible = (metricName: string) => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  sampledRequestsEnabled: false,
});
