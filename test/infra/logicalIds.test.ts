import { expect, it } from 'vitest';
import { type EnvironmentName, environmentNames, type Settings } from '../../infra/environments.ts';
import { irreplaceable } from '../../tools/cdk/lostResources.ts';
import { optionalSettings } from '../../tools/cdk/optionalSettings.ts';
import { resourcesOf, templateOf } from './templateOf.ts';

const dev = [
  'AWS::ApiGateway::Authorizer apiauthorizer9109A12D',
  'AWS::ApiGateway::RestApi apiC8550315',
  'AWS::ApiGateway::Stage apiDeploymentStagelive9A48E31E',
  'AWS::DynamoDB::Table changes',
  'AWS::DynamoDB::Table table',
  'AWS::Lambda::Function applyAccount',
  'AWS::Lambda::Function authorizer',
  'AWS::Lambda::Function configureCatalog',
  'AWS::Lambda::Function createItem',
  'AWS::Lambda::Function getCatalog',
  'AWS::Lambda::Function getItem',
  'AWS::Lambda::Function listChanges',
  'AWS::Lambda::Function listItems',
  'AWS::Lambda::Function recordChanges',
  'AWS::Lambda::Function updateItem',
  'AWS::Lambda::Function writeItems',
  'AWS::Logs::LogGroup apiLogsC6C29EB1',
  'AWS::Logs::LogGroup applyAccountLogs8751595A',
  'AWS::Logs::LogGroup authorizerLogs6146B334',
  'AWS::Logs::LogGroup configureCatalogLogs86A63B8C',
  'AWS::Logs::LogGroup createItemLogs3F024459',
  'AWS::Logs::LogGroup getCatalogLogs507CCC12',
  'AWS::Logs::LogGroup getItemLogsA302706F',
  'AWS::Logs::LogGroup listChangesLogs4FBD6946',
  'AWS::Logs::LogGroup listItemsLogsA9F79FFD',
  'AWS::Logs::LogGroup recordChangesLogs9FBE8F41',
  'AWS::Logs::LogGroup updateItemLogs1CA08034',
  'AWS::Logs::LogGroup writeItemsLogsB2854F75',
  'AWS::SNS::Topic alarmspages5266459C',
  'AWS::SNS::Topic alarmstickets4EB72D68',
];

const staging = [
  ...dev,
  'AWS::Lambda::Alias authorizerAliasliveB7BB5F10',
  'AWS::Lambda::Alias configureCatalogAliaslive44198AE3',
  'AWS::Lambda::Alias createItemAliaslive999AD116',
  'AWS::Lambda::Alias getCatalogAliaslive922F27FF',
  'AWS::Lambda::Alias getItemAliasliveE4FD61AD',
  'AWS::Lambda::Alias listChangesAliasliveAFA5CE64',
  'AWS::Lambda::Alias listItemsAliaslive1CBE246E',
  'AWS::Lambda::Alias recordChangesAliaslive5674910A',
  'AWS::Lambda::Alias updateItemAliaslive7652E964',
  'AWS::Lambda::Alias writeItemsAliaslive2D0E264D',
  'AWS::Lambda::Function deploymentcheckfunction737D6F7D',
  'AWS::Lambda::Function heartbeatfunctionC2CB54FA',
  'AWS::Lambda::Function verificationfunction62C64E3F',
  'AWS::Logs::LogGroup deploymentchecklogsB09E6047',
  'AWS::Logs::LogGroup firewalllogsF49F2A94',
  'AWS::Logs::LogGroup heartbeatlogs6EAE56DD',
  'AWS::Logs::LogGroup verificationlogsC8B1AC7A',
  'AWS::WAFv2::WebACL firewallacl37C13A0A',
  'AWS::WAFv2::WebACLAssociation firewallassociationD8115191',
];

const ofOptionalSettings = [
  'AWS::ApiGateway::DomainName domainnameAE189CB5',
  'AWS::Backup::BackupPlan backupplan569814C5',
  'AWS::Backup::BackupSelection backupplantableE1537A3E',
  'AWS::Backup::BackupVault backupvault3455C5E0',
];

const logicalIds: Record<EnvironmentName, string[]> = { dev, staging, prod: staging };

/** Type and logical id of every resource that must not be replaced. */
const irreplaceableIn = (environment: EnvironmentName, settings: Partial<Settings> = {}): string[] =>
  resourcesOf(templateOf(environment, settings))
    .filter(([, { Type }]) => Type in irreplaceable)
    .map(([id, { Type }]) => `${Type} ${id}`)
    .sort();

// CloudFormation replaces a resource whose logical id changes: an API gets another address, a table loses its items.
it.each(environmentNames)('%s keeps the logical ids of what cannot be replaced, also when the code moves', (name) => {
  expect(irreplaceableIn(name)).toEqual(logicalIds[name].toSorted());
});

it('so does an environment with every optional setting, in which each of these types occurs that is still used', () => {
  const ids = irreplaceableIn('prod', optionalSettings);
  expect(ids).toEqual([...logicalIds.prod, ...ofOptionalSettings].toSorted());
  const types = Object.keys(irreplaceable).filter((type) => type !== 'AWS::SQS::Queue');
  expect(new Set(ids.map((id) => id.split(' ')[0]))).toEqual(new Set(types));
});
