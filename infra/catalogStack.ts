import { CfnOutput, Stack, Tags } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { heartbeatAccount } from '../lib/access/accountId.ts';
import { variables } from '../lib/runtime/environment.ts';
import { CatalogAlarms, CatalogDashboard } from './constructs/catalogAlarms.ts';
import { AccountShares, CatalogApi } from './constructs/catalogApi.ts';
import { addHeartbeat, addVerification, CatalogFunction, type CatalogFunctions } from './constructs/catalogFunction.ts';
import { CatalogTable } from './constructs/catalogTable.ts';
import { ChangeEvents, ChangeRecording } from './constructs/changeRecording.ts';
import { CostBudget } from './constructs/costBudget.ts';
import { CustomDomain } from './constructs/customDomain.ts';
import { Firewall } from './constructs/firewall.ts';
import { type FunctionName, functionAccess, functionNames, openingAccess } from './constructs/functionAccess.ts';
import { GradualDeployment } from './constructs/gradualDeployment.ts';
import { saveLogQueries } from './constructs/logQueries.ts';
import { TableBackup } from './constructs/tableBackup.ts';
import { type EnvironmentName, outputs, type Settings } from './environments.ts';

interface DeploymentProps {
  /** Whether this deployment skips the steps of a gradual one. */
  readonly atOnce: boolean;
  /** Only an output, because in a function it would publish a version with each commit. */
  readonly commit: string;
}

export class CatalogStack extends Stack {
  constructor(
    scope: Construct,
    id: string,
    environment: EnvironmentName,
    settings: Settings,
    { atOnce, commit }: DeploymentProps,
  ) {
    super(scope, id, {
      description: `Product and service catalog, ${environment}`,
      env: { region: settings.region, ...(settings.account === undefined ? {} : { account: settings.account }) },
      terminationProtection: settings.keepsData,
    });
    Tags.of(this).add('service', 'catalog');
    Tags.of(this).add('environment', environment);
    for (const [name, value] of Object.entries(settings.tags ?? {})) Tags.of(this).add(name, value);

    const table = new CatalogTable(this, 'table', settings);
    const functions = this.#functions(settings, table);
    const api = new CatalogApi(this, 'api', settings, functions);
    const { alarms, backup, eventBus, firewall, monthlyBudget } = settings;
    if (monthlyBudget && alarms) new CostBudget(this, 'budget', monthlyBudget, alarms.tickets);
    const { shares } = settings.throttling;
    if (shares !== undefined) new AccountShares(this, 'shares', api, shares);
    if (shares?.enforced) new CfnOutput(this, outputs.sharesEnforced, { value: 'true' });
    if (firewall !== undefined) new Firewall(this, 'firewall', settings, firewall, api);
    if (backup !== undefined) new TableBackup(this, 'backup', table, backup);
    const recording = new ChangeRecording(this, 'changeRecording', reserving(10, settings), table);
    if (eventBus !== undefined) new ChangeEvents(this, 'changeEvents', table, eventBus);
    const steps = settings.gradualDeployment;
    if (steps !== undefined) {
      const shifted = { ...functions, recordChanges: recording.handler };
      new GradualDeployment(this, 'deployment', { settings, steps, atOnce, api, table, functions: shifted });
    }
    const domain = settings.customDomain && new CustomDomain(this, 'domain', { api, ...settings.customDomain });
    const url = domain?.url ?? api.url;
    // Otherwise, it could expect what this version of the API answers while the functions are still being shifted.
    addHeartbeat(this, settings, table, url)?.node.addDependency(api.deploymentStage);
    addVerification(this, settings, table);
    // What the API does not invoke has no alias.
    const { gradualDeployment: _, ...own } = reserving(10, settings);
    const watched = new CatalogAlarms(this, 'alarms', { settings, api, table, functions, recording });
    if (alarms !== undefined) new CatalogDashboard(this, 'dashboard', watched, functions, api.accessLogs);
    const applyAccount = new CatalogFunction(this, 'applyAccount', { settings: own, table, access: openingAccess });
    saveLogQueries(this);

    new CfnOutput(this, outputs.apiUrl, { value: url });
    new CfnOutput(this, outputs.tableName, { value: table.tableName });
    new CfnOutput(this, outputs.commit, { value: commit });
    new CfnOutput(this, outputs.applyAccount, { value: applyAccount.functionName });
  }

  /** The functions are direct children of the stack, so that `sam local invoke` finds them by name. */
  #functions(settings: Settings, table: CatalogTable): CatalogFunctions {
    const { batches, shares } = settings.throttling;
    const own = [heartbeatAccount, ...(shares?.own ?? [])];
    const forAuthorizer = {
      ...(settings.identity && { [variables.identity]: JSON.stringify(settings.identity) }),
      ...(shares && { [variables.shares]: JSON.stringify({ stack: this.stackName, own }) }),
    };
    // So many that Lambda need not refuse any, which would be 5xx instead of 429, if a batch takes half a second.
    const forBatches = Math.ceil(batches.rate / 2) + batches.burst;
    const functions = functionNames.map((id) => {
      const environment = id === 'authorizer' ? forAuthorizer : undefined;
      const enough = id === 'writeItems' ? forBatches : concurrencyOf[id];
      const reserved = enough === undefined ? settings : reserving(enough, settings);
      return [
        id,
        new CatalogFunction(this, id, { settings: reserved, table, access: functionAccess[id], environment }),
      ];
    });
    return Object.fromEntries(functions);
  }
}

/** The functions for which less concurrency is enough. */
const concurrencyOf: Partial<Record<FunctionName, number>> = {
  configureCatalog: 10,
  // For 1,000 open pages that each ask for changes every 10 seconds: 100 requests a second, which 10 containers would
  // only just serve, because each serves at most 10 a second. At 20 ms a request, two of them are busy.
  listChanges: 20,
};

const reserving = (enough: number, { reservedConcurrency, ...settings }: Settings): Settings => ({
  ...settings,
  ...(reservedConcurrency !== undefined && { reservedConcurrency: enough }),
});
