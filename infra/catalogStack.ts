import { CfnOutput, Stack, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { keyPatterns } from '../lib/store/records/keys.ts';
import { CatalogAlarms } from './constructs/catalogAlarms.ts';
import { CatalogApi } from './constructs/catalogApi.ts';
import { CatalogDashboard } from './constructs/catalogDashboard.ts';
import { type Access, CatalogFunction, type CatalogFunctions } from './constructs/catalogFunction.ts';
import { CatalogTable } from './constructs/catalogTable.ts';
import { CustomDomain } from './constructs/customDomain.ts';
import { Firewall } from './constructs/firewall.ts';
import { type EnvironmentName, outputs, type Settings } from './environments.ts';

interface CatalogStackProps {
  readonly environment: EnvironmentName;
  readonly settings: Settings;
}

/** The catalog service in one environment. */
export class CatalogStack extends Stack {
  constructor(scope: Construct, id: string, { environment, settings }: CatalogStackProps) {
    super(scope, id, {
      description: `Product and service catalog, ${environment}`,
      env: { region: settings.region, ...(settings.account === undefined ? {} : { account: settings.account }) },
      terminationProtection: settings.keepsData,
    });
    Tags.of(this).add('service', 'catalog');
    Tags.of(this).add('environment', environment);

    const table = new CatalogTable(this, 'table', settings);
    const functions = this.#functions(settings, table);
    const api = new CatalogApi(this, 'api', { settings, functions });
    if (settings.firewallRate !== undefined) new Firewall(this, 'firewall', api, settings.firewallRate);
    const domain = settings.customDomain && new CustomDomain(this, 'domain', { api, ...settings.customDomain });
    new CatalogAlarms(this, 'alarms', { settings, api, table, functions });
    new CatalogDashboard(this, 'dashboard', { api, table, functions });

    new CfnOutput(this, outputs.apiUrl, { value: domain?.url ?? api.url });
    new CfnOutput(this, outputs.tableName, { value: table.tableName });
  }

  /** Directly under the stack, so that their names resolve for `sam local invoke`. */
  #functions(settings: Settings, table: CatalogTable): CatalogFunctions {
    const add = (id: keyof CatalogFunctions, access: Access[]): CatalogFunction =>
      new CatalogFunction(this, id, { settings, table, access });
    const configuration: Access = { actions: ['dynamodb:Query'], keys: keyPatterns.configuration };
    // What is written together has one pattern: a transaction's keys may be judged together, too.
    const write = (...actions: Access['actions']): Access => ({ actions, keys: keyPatterns.written });
    return {
      createItem: add('createItem', [
        configuration,
        { actions: ['dynamodb:GetItem'], keys: keyPatterns.idempotency },
        { actions: ['dynamodb:UpdateItem'], keys: keyPatterns.counter },
        write('dynamodb:PutItem'),
      ]),
      updateItem: add('updateItem', [
        configuration,
        { actions: ['dynamodb:GetItem'], keys: keyPatterns.items },
        write('dynamodb:PutItem', 'dynamodb:UpdateItem', 'dynamodb:DeleteItem'),
      ]),
      authorizer: add('authorizer', [{ actions: ['dynamodb:GetItem'], keys: keyPatterns.tokens }]),
    };
  }
}
