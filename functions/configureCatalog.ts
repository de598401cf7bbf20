import { configureCatalogHandler } from '../lib/http/configureCatalogHandler.ts';
import { operationDependencies } from '../lib/runtime/dependencies.ts';
import { dynamoCatalogConfigurator } from '../lib/store/catalog/configureAccount.ts';

export const handler = configureCatalogHandler(operationDependencies(process.env, dynamoCatalogConfigurator));
