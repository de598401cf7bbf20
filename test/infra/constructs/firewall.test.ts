import { describe, expect, it } from 'vitest';
import { settingsOf } from '../../../infra/environments.ts';
import { errors } from '../../../lib/item/errors.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { type Json, templateOf, theOnly } from '../templateOf.ts';

const template = templateOf('prod');
const acl = theOnly(template, 'AWS::WAFv2::WebACL');
const [byAddress, byToken, ...managed]: Json[] = acl.Rules;
const { tokenRate, addressRate } = settingsOf('prod').firewall ?? {};

describe('the firewall', () => {
  it('limits requests of an address and, lower, of a token in five minutes, however the header is spelled', () => {
    expect([byAddress, byToken].map((rule) => [rule.Priority, rule.Statement.RateBasedStatement])).toEqual([
      [0, { AggregateKeyType: 'IP', EvaluationWindowSec: 300, Limit: addressRate }],
      [
        1,
        {
          AggregateKeyType: 'CUSTOM_KEYS',
          CustomKeys: [expect.anything()],
          EvaluationWindowSec: 300,
          Limit: tokenRate,
        },
      ],
    ]);
    const TextTransformations = ['LOWERCASE', 'COMPRESS_WHITE_SPACE'].map((Type, Priority) => ({ Priority, Type }));
    expect(byToken.Statement.RateBasedStatement.CustomKeys).toEqual([
      { Header: { Name: 'authorization', TextTransformations } },
    ]);
  });

  it('protects the stage, under the name that metrics use', () => {
    expect(acl).toMatchObject({ Scope: 'REGIONAL', VisibilityConfig: { MetricName: 'catalog-prod' } });
    expect(JSON.stringify(theOnly(template, 'AWS::WAFv2::WebACLAssociation').ResourceArn)).toContain('/stages/');
  });
});

it.each([byAddress, byToken])('a request over the limit of $Name gets 429 in the API’s format and headers', (rule) => {
  const { ResponseCode, CustomResponseBodyKey, ResponseHeaders } = rule.Action.Block.CustomResponse;
  const { message, status } = errors.TOO_MANY_REQUESTS;
  expect([ResponseCode, acl.CustomResponseBodies[CustomResponseBodyKey]]).toEqual([
    status,
    { ContentType: 'APPLICATION_JSON', Content: JSON.stringify({ error: { message, code: 'TOO_MANY_REQUESTS' } }) },
  ]);
  const sent = ResponseHeaders.map(({ Name, Value }: Json) => [Name, Value]);
  expect(Object.fromEntries(sent)).toEqual({
    'access-control-allow-origin': '*',
    'access-control-expose-headers': expect.stringContaining('retry-after'),
    'cache-control': 'no-store',
    'retry-after': '60',
    'x-content-type-options': 'nosniff',
    'x-request-id': 'firewall',
  });
});

describe('managed rules', () => {
  const groups = optionalSettings.firewall.managedRules;
  const every: Json[] = theOnly(templateOf('prod', optionalSettings), 'AWS::WAFv2::WebACL').Rules.slice(2);

  it('are evaluated after the rate limits, each group under its own name', () => {
    expect(every).toMatchObject(
      groups.map((Name, index) => ({
        ...{ Name, Priority: index + 2, OverrideAction: { None: {} } },
        VisibilityConfig: { MetricName: Name },
      })),
    );
  });

  it('count instead of blocking what the API accepts: any body, any query, any client', () => {
    const overridden = every.flatMap(({ Statement }) => Statement.ManagedRuleGroupStatement.RuleActionOverrides);
    const ActionToUse = { Count: {} };
    const named = (names: string[], ...parts: string[]) =>
      names.flatMap((name) => parts.map((part) => ({ Name: `${name}_${part}`, ActionToUse })));
    const attacks = ['CrossSiteScripting', 'EC2MetaDataSSRF', 'GenericLFI', 'GenericRFI'];
    const expected = [
      ...named(['JavaDeserializationRCE', 'Log4JRCE', 'SizeRestrictions'], 'BODY', 'QUERYSTRING'),
      ...named(attacks, 'BODY', 'QUERYARGUMENTS'),
      ...named(['ReactJSRCE'], 'BODY'),
      ...named(['RestrictedExtensions'], 'QUERYARGUMENTS'),
      ...named(['NoUserAgent'], 'HEADER'),
    ];
    expect(overridden).toEqual(expect.arrayContaining(expected));
    expect(overridden).toHaveLength(expected.length);
  });

  it('are in production those that recognise attackers by address or by what no caller sends, else none', () => {
    expect(managed.map(({ Name }) => Name)).toEqual(groups.slice(0, 2));
    expect(theOnly(templateOf('staging'), 'AWS::WAFv2::WebACL').Rules).toHaveLength(2);
  });
});

describe("the firewall's log", () => {
  it('has the blocked and counted requests, in a log group with the prefix that AWS WAF requires', () => {
    const { LoggingFilter, LogDestinationConfigs } = theOnly(template, 'AWS::WAFv2::LoggingConfiguration');
    const actions = ['BLOCK', 'COUNT', 'EXCLUDED_AS_COUNT'];
    const Conditions = actions.map((Action) => ({ ActionCondition: { Action } }));
    expect(LoggingFilter).toEqual({
      DefaultBehavior: 'DROP',
      Filters: [{ Behavior: 'KEEP', Requirement: 'MEETS_ANY', Conditions }],
    });
    const [, parts] = LogDestinationConfigs[0]['Fn::Join'];
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
});
