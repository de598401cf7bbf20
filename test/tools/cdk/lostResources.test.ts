import { expect, it } from 'vitest';
import { irreplaceable, lostResources, type TemplateJson } from '../../../tools/cdk/lostResources.ts';
import { optionalSettings } from '../../../tools/cdk/optionalSettings.ts';
import { templateOf, theOnly } from '../../infra/templateOf.ts';

const template = templateOf('prod', optionalSettings);
const own = template.toJSON() as TemplateJson;
const before = { Resources: { ...own.Resources, queue: { Type: 'AWS::SQS::Queue' } } } as TemplateJson;

/** One resource of each type. The stack has no queue any more, but deployed ones can. */
const samples = Object.keys(irreplaceable).map((type) => {
  const [id = ''] = Object.entries(before.Resources).find(([, { Type }]) => Type === type) ?? [];
  return { type, id };
});
const fixed = samples.flatMap((sample) => (irreplaceable[sample.type] ?? []).map((name) => ({ ...sample, name })));

const lostIf = (Resources: TemplateJson['Resources']) =>
  lostResources(before, { Resources: { ...before.Resources, ...Resources } });

/** The losses if these properties of a resource change. */
function lostWith(id: string, properties: object): string[] {
  const { [id]: resource = { Type: '' } } = before.Resources;
  return lostIf({ [id]: { ...resource, Properties: { ...resource.Properties, ...properties } } });
}

it('nothing is lost if settings change that are not part of an address', () => {
  const changed = { ...optionalSettings, recoveryDays: 3, memory: 512, tableKey: undefined, tags: { team: 'other' } };
  expect(lostResources(own, templateOf('prod', changed).toJSON() as TemplateJson)).toEqual([]);
});

it('a table stays in place if it gets an index', () => {
  const { AttributeDefinitions } = theOnly(template, 'table');
  const attributes = [...AttributeDefinitions, { AttributeName: 'a', AttributeType: 'S' }];
  const indexes = [{ IndexName: 'a' }];
  expect(lostWith('table', { AttributeDefinitions: attributes, GlobalSecondaryIndexes: indexes })).toEqual([]);
});

it.each(samples)('$type is lost if its logical id or its type changes', ({ type, id }) => {
  const { [id]: resource, ...others } = before.Resources;
  if (resource === undefined) throw new Error(`The stack has no ${type}`);
  expect(lostResources(before, { Resources: { ...others, other: resource } })).toEqual([
    `the ${type} "${id}", which is no longer in the template under this logical id`,
  ]);
  expect(lostIf({ [id]: { ...resource, Type: 'AWS::S3::Bucket' } })).toEqual([
    `the ${type} "${id}", which becomes an AWS::S3::Bucket`,
  ]);
});

it('nothing is lost if an earlier commit lacks functions, but what it lacks besides is named', () => {
  const later = (id: string) => /^(writeItems|heartbeat)/.test(id);
  const without = (lacks: (id: string) => boolean) =>
    Object.fromEntries(Object.entries(before.Resources).filter(([id]) => !lacks(id)));
  expect(Object.keys(before.Resources).filter(later).length).toBeGreaterThan(8);
  expect(lostResources(before, { Resources: without(later) })).toEqual([]);
  const table = 'the AWS::DynamoDB::Table "changes", which is no longer in the template under this logical id';
  expect(lostResources(before, { Resources: without((id) => later(id) || id === 'changes') })).toEqual([table]);
});

it.each(fixed)('$type is lost if it gets another $name', ({ type, id, name }) => {
  expect(lostWith(id, { [name]: ['another'] })).toEqual([`the ${type} "${id}", which gets another ${name}`]);
});

it('a table is lost if its key gets another type', () => {
  const attributes = [{ AttributeName: 'pk', AttributeType: 'N' }];
  expect(lostWith('table', { AttributeDefinitions: attributes })).toEqual([
    'the AWS::DynamoDB::Table "table", which gets a key of another type',
  ]);
});

it.each(['table', 'changes'])('the %s is lost if it is no longer protected from deletion', (id) => {
  const { [id]: resource = { Type: '' } } = before.Resources;
  const unprotected = [`the AWS::DynamoDB::Table "${id}", which is no longer protected from deletion`];
  expect(lostIf({ [id]: { ...resource, DeletionPolicy: 'Delete' } })).toEqual(unprotected);
  expect(lostIf({ [id]: { ...resource, UpdateReplacePolicy: 'Delete' } })).toEqual(unprotected);
  expect(lostWith(id, { DeletionProtectionEnabled: false })).toEqual(unprotected);
});
