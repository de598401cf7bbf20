import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { errors } from '../../../lib/item/errors.ts';
import { propertiesOf, resourcesOf, templateOf, templateWith, theOnly } from '../templateOf.ts';

interface Rule {
  readonly Name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a template is JSON, and each test knows the part that it uses.
  readonly [property: string]: any;
}

const template = templateOf('prod');
const acl = theOnly(template, 'AWS::WAFv2::WebACL');
const rateRules: Rule[] = acl.Rules.slice(0, 2);
const { tokenRate, addressRate } = settingsOf('prod').firewall ?? {};

describe('the firewall', () => {
  it('limits the requests of an address and, to fewer, of a token in five minutes, however the header is spelled', () => {
    const transformations = [
      { Priority: 0, Type: 'LOWERCASE' },
      { Priority: 1, Type: 'COMPRESS_WHITE_SPACE' },
    ];
    const limits = rateRules.map(({ Statement: { RateBasedStatement } }) => RateBasedStatement);
    expect(limits).toEqual([
      { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: addressRate },
      {
        AggregateKeyType: 'CUSTOM_KEYS',
        CustomKeys: [{ Header: { Name: 'authorization', TextTransformations: transformations } }],
        EvaluationWindowSec: 300,
        Limit: tokenRate,
      },
    ]);
    expect(rateRules.map(({ Priority }) => Priority)).toEqual([0, 1]);
  });

  it('protects the stage, under the name that metrics use', () => {
    expect(acl).toMatchObject({ Scope: 'REGIONAL', VisibilityConfig: { MetricName: 'catalog-prod' } });
    expect(JSON.stringify(theOnly(template, 'AWS::WAFv2::WebACLAssociation').ResourceArn)).toContain('/stages/');
  });

  it('is omitted without the setting', () => {
    expect(resourcesOf(templateOf('dev')).filter(([, { Type }]) => Type.startsWith('AWS::WAFv2'))).toEqual([]);
  });
});

describe('a request beyond a rate limit', () => {
  it("gets 429 in the format of the API's errors, not the response to blocked requests", () => {
    const [{ Content, ContentType }] = Object.values<Rule>(acl.CustomResponseBodies) as [Rule];
    expect(ContentType).toBe('APPLICATION_JSON');
    const { message, status } = errors.TOO_MANY_REQUESTS;
    expect(JSON.parse(Content)).toEqual({ error: { message, code: 'TOO_MANY_REQUESTS' } });
    for (const { Action } of rateRules)
      expect(Action.Block.CustomResponse).toMatchObject({
        ResponseCode: status,
        CustomResponseBodyKey: Object.keys(acl.CustomResponseBodies)[0],
      });
    const [filtered] = propertiesOf(template, 'AWS::ApiGateway::GatewayResponse').filter(
      ({ ResponseType }) => ResponseType === 'WAF_FILTERED',
    );
    expect(filtered.StatusCode).toBe('403');
  });

  it('gets the headers of every response, and retry-after', () => {
    const [{ Action }] = rateRules as [Rule];
    const sent: { Name: string; Value: string }[] = Action.Block.CustomResponse.ResponseHeaders;
    expect(Object.fromEntries(sent.map(({ Name, Value }) => [Name, Value]))).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('retry-after'),
      'cache-control': 'no-store',
      'retry-after': '60',
      'x-content-type-options': 'nosniff',
      'x-request-id': 'firewall',
    });
  });
});

describe('managed rules', () => {
  const groups = [
    'AWSManagedRulesAmazonIpReputationList',
    'AWSManagedRulesKnownBadInputsRuleSet',
    'AWSManagedRulesCommonRuleSet',
  ] as const;
  const firewall = { tokenRate: 100, addressRate: 1_000, managedRules: [...groups], logs: false };
  const managed: Rule[] = theOnly(templateWith({ firewall }), 'AWS::WAFv2::WebACL').Rules.slice(2);
  const overridden = managed.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement.RuleActionOverrides);

  it('are evaluated after the rate limits, each group under its own name', () => {
    expect(managed.map(({ Priority, Name }) => [Priority, Name])).toEqual(
      groups.map((name, index) => [index + 2, name]),
    );
    for (const { Name, OverrideAction, VisibilityConfig } of managed) {
      expect(OverrideAction).toEqual({ None: {} });
      expect(VisibilityConfig.MetricName).toBe(Name);
    }
  });

  it('count instead of blocking what the API accepts: any body, any query, any client', () => {
    for (const { ActionToUse } of overridden) expect(ActionToUse).toEqual({ Count: {} });
    const names: string[] = overridden.map(({ Name }) => Name);
    expect(new Set(names.map((name) => name.split('_').at(-1)))).toEqual(
      new Set(['BODY', 'QUERYARGUMENTS', 'QUERYSTRING', 'HEADER']),
    );
    expect(names.filter((name) => name.endsWith('_HEADER'))).toEqual(['NoUserAgent_HEADER']);
    const attacks = ['CrossSiteScripting', 'EC2MetaDataSSRF', 'GenericLFI', 'GenericRFI'];
    expect(names).toEqual(
      expect.arrayContaining([
        'SizeRestrictions_BODY',
        'SizeRestrictions_QUERYSTRING',
        ...attacks.flatMap((attack) => [`${attack}_BODY`, `${attack}_QUERYARGUMENTS`]),
        ...['Log4JRCE', 'JavaDeserializationRCE'].flatMap((attack) => [`${attack}_BODY`, `${attack}_QUERYSTRING`]),
      ]),
    );
  });

  it('are in production those that tell attackers by their address or by what no caller sends', () => {
    expect(acl.Rules.slice(2).map(({ Name }: Rule) => Name)).toEqual(groups.slice(0, 2));
  });

  it('are omitted if the settings name none', () => {
    expect(theOnly(templateOf('staging'), 'AWS::WAFv2::WebACL').Rules).toHaveLength(2);
  });
});

describe("the firewall's log", () => {
  const logging = theOnly(template, 'AWS::WAFv2::LoggingConfiguration');

  it('has the blocked and counted requests, in a log group with the prefix that AWS WAF requires', () => {
    const [{ Behavior, Conditions }] = logging.LoggingFilter.Filters;
    expect([logging.LoggingFilter.DefaultBehavior, Behavior]).toEqual(['DROP', 'KEEP']);
    expect(Conditions.map(({ ActionCondition }: Rule) => ActionCondition.Action)).toEqual([
      'BLOCK',
      'COUNT',
      'EXCLUDED_AS_COUNT',
    ]);
    const [, parts] = logging.LogDestinationConfigs[0]['Fn::Join'];
    expect(theOnly(template, parts.at(-1).Ref)).toMatchObject({
      LogGroupName: 'aws-waf-logs-catalog-prod',
      RetentionInDays: settingsOf('prod').logDays,
    });
  });

  it('contains no token, and nothing that a caller typed', () => {
    expect(acl.DataProtectionConfig.DataProtections).toEqual([
      { Field: { FieldType: 'SINGLE_HEADER', FieldKeys: ['authorization', 'cookie'] }, Action: 'HASH' },
      { Field: { FieldType: 'QUERY_STRING' }, Action: 'SUBSTITUTION' },
      { Field: { FieldType: 'BODY' }, Action: 'SUBSTITUTION' },
    ]);
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
  });

  it('is omitted if the settings say so', () => {
    const silent = templateWith({ firewall: { tokenRate: 100, addressRate: 1_000, logs: false } });
    expect(propertiesOf(silent, 'AWS::WAFv2::WebACL')).toHaveLength(1);
    expect(propertiesOf(silent, 'AWS::WAFv2::LoggingConfiguration')).toEqual([]);
  });
});
