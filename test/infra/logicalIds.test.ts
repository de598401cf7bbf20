import { expect, it } from 'vitest';
import { irreplaceable } from '../../tools/cdk/lostResources.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';
import { resourcesOf, templateOf } from './templateOf.ts';

/** The functions, whose names are their logical ids, with the ends of those of their log groups and aliases. */
const functions = [
  ['authorizer', '6146B334', 'B7BB5F10'],
  ['configureCatalog', '86A63B8C', '44198AE3'],
  ['createItem', '3F024459', '999AD116'],
  ['getCatalog', '507CCC12', '922F27FF'],
  ['getItem', 'A302706F', 'E4FD61AD'],
  ['listChanges', '4FBD6946', 'AFA5CE64'],
  ['listItems', 'A9F79FFD', '1CBE246E'],
  ['recordChanges', '9FBE8F41', '5674910A'],
  ['updateItem', '1CA08034', '7652E964'],
  ['writeItems', 'B2854F75', '2D0E264D'],
] as const;

const logicalIds = [
  'AWS::ApiGateway::Authorizer apiauthorizer9109A12D',
  'AWS::ApiGateway::RestApi apiC8550315',
  'AWS::ApiGateway::Stage apiDeploymentStagelive9A48E31E',
  'AWS::DynamoDB::Table changes',
  'AWS::DynamoDB::Table table',
  'AWS::Lambda::Function applyAccount',
  ...functions.map(([name]) => `AWS::Lambda::Function ${name}`),
  'AWS::Logs::LogGroup apiLogsC6C29EB1',
  'AWS::Logs::LogGroup applyAccountLogs8751595A',
  ...functions.map(([name, ofLogs]) => `AWS::Logs::LogGroup ${name}Logs${ofLogs}`),
  'AWS::SNS::Topic alarmspages5266459C',
  'AWS::SNS::Topic alarmstickets4EB72D68',
  ...functions.map(([name, , ofAlias]) => `AWS::Lambda::Alias ${name}Aliaslive${ofAlias}`),
  'AWS::Lambda::Function deploymentcheckfunction737D6F7D',
  'AWS::Lambda::Function heartbeatfunctionC2CB54FA',
  'AWS::Lambda::Function verificationfunction62C64E3F',
  'AWS::Logs::LogGroup deploymentchecklogsB09E6047',
  'AWS::Logs::LogGroup firewalllogsF49F2A94',
  'AWS::Logs::LogGroup heartbeatlogs6EAE56DD',
  'AWS::Logs::LogGroup verificationlogsC8B1AC7A',
  'AWS::WAFv2::WebACL firewallacl37C13A0A',
  'AWS::WAFv2::WebACLAssociation firewallassociationD8115191',
  'AWS::ApiGateway::DomainName domainnameAE189CB5',
  'AWS::Backup::BackupPlan backupplan569814C5',
  'AWS::Backup::BackupSelection backupplantableE1537A3E',
  'AWS::Backup::BackupVault backupvault3455C5E0',
];

/** Type and logical id of every resource that must not be replaced. */
const irreplaceableIn = (template: ReturnType<typeof templateOf>): string[] =>
  resourcesOf(template).flatMap(([id, { Type }]) => (Type in irreplaceable ? `${Type} ${id}` : []));

// CloudFormation replaces a resource whose logical id changes: an API gets another address, a table loses its items.
it('an environment with every setting keeps the logical ids of what cannot be replaced', () => {
  expect(irreplaceableIn(templateOf('prod', optionalSettings)).sort()).toEqual(logicalIds.toSorted());
  const types = Object.keys(irreplaceable).filter((type) => type !== 'AWS::SQS::Queue');
  expect(new Set(logicalIds.map((id) => id.split(' ')[0]))).toEqual(new Set(types));
});

it.each([
  ['dev', 30],
  ['staging', 49],
  ['prod', 49],
] as const)('%s has %i of them', (name, count) => {
  const found = irreplaceableIn(templateOf(name));
  expect(found.filter((id) => !logicalIds.includes(id))).toEqual([]);
  expect(found).toHaveLength(count);
});
