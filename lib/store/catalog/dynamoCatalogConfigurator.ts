import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { CatalogConfigurator } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { queryAccount } from './accountCache.ts';
import { configureAccount } from './configureAccount.ts';

/** Changes the configuration of accounts in a DynamoDB table. Nothing stays in memory. */
export const dynamoCatalogConfigurator =
  (database: Database): OpenStore<CatalogConfigurator> =>
  (context) => {
    const session = database.for(context);
    return { currentAccount: () => queryAccount(session), ...configureAccount(session, context.account) };
  };
