import { expect, it } from 'vitest';
import type { TemplateJson } from '../../../tools/cdk/lostResources.ts';
import { lostRights } from '../../../tools/cdk/lostRights.ts';
import { templateOf } from '../../infra/templateOf.ts';

const { Resources } = templateOf('prod').toJSON() as TemplateJson;
const idOf = (name: string): string => Object.keys(Resources).find((id) => id.startsWith(name)) ?? '';
const role = idOf('getItemRole');
const policy = idOf('getItemRoleDefaultPolicy');

const lostWith = (changed: Partial<TemplateJson['Resources']>): string[] =>
  lostRights({ Resources }, { Resources: JSON.parse(JSON.stringify({ ...Resources, ...changed })) });

/** The policy of the role with other statements, of which there are four. The third is the right to read items. */
function withStatements(change: (statements: object[]) => object[]) {
  const { Type, Properties = {} } = Resources[policy] ?? { Type: '' };
  const { Statement } = Properties['PolicyDocument'] as { Statement: object[] };
  return { [policy]: { Type, Properties: { ...Properties, PolicyDocument: { Statement: change(Statement) } } } };
}

const items = '{"ForAllValues:StringLike":{"dynamodb:LeadingKeys":["ACCOUNT#*#ITEMS"]}}';
const lost = `The role ${role} would lose: Allow dynamodb:GetItem on {"Fn::GetAtt":["table","Arn"]} if ${items}`;

it('nothing is lost if a role gets more rights', () => {
  const more = { Effect: 'Allow', Action: 'dynamodb:Scan', Resource: '*' };
  expect(lostWith(withStatements((statements) => [...statements, more]))).toEqual([]);
});

it('names each right that a role would lose, by what it applies to and on which condition', () => {
  expect(lostWith(withStatements((statements) => statements.toSpliced(2, 1)))).toEqual([lost]);
  expect(lostWith(withStatements((statements) => statements.with(2, { ...statements[2], Condition: {} })))).toEqual([
    lost,
  ]);
  expect(lostWith({ [policy]: undefined })).toHaveLength(4);
});

it('names a right that is denied from now on', () => {
  const deny = { Effect: 'Deny', Action: ['dynamodb:GetItem'], Resource: '*' };
  const name = `The role ${role} would get: Deny dynamodb:GetItem on "*"`;
  expect(lostWith(withStatements((statements) => [...statements, deny]))).toEqual([name]);
});

it('names a policy of AWS that a role would lose, and statements in the role itself', () => {
  const own = { PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'a:b', Resource: '*' }] } };
  const before = { role: { Type: 'AWS::IAM::Role', Properties: { ManagedPolicyArns: ['arn'], Policies: [own] } } };
  const after = { role: { Type: 'AWS::IAM::Role', Properties: {} } };
  const name = 'The role role would lose: Allow';
  const all = [`${name} "arn"`, `${name} a:b on "*"`];
  expect(lostRights({ Resources: before }, { Resources: after })).toEqual(all);
});

it.each([
  ['removed', undefined],
  ['replaced', { ...Resources[role], Type: 'AWS::IAM::Role', Properties: { Path: '/catalog/' } }],
])('names a role that would be %s', (what, resource) => {
  expect(lostWith({ [role]: resource })).toEqual([`The role ${role} would be ${what}.`]);
});
