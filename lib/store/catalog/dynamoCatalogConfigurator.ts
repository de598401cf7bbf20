import type { OpenStore } from '../../catalog/catalogReader.ts';
import type { CatalogConfigurator } from '../../catalog/catalogStore.ts';
import type { Database } from '../database/database.ts';
import { queryAccount } from './accountCache.ts';
import { addCategory, addUnit, changeCategory, setDefaults } from './configureAccount.ts';

/** Changes the configuration of accounts in a DynamoDB table. Nothing stays in memory. */
export const dynamoCatalogConfigurator =
  (database: Database): OpenStore<CatalogConfigurator> =>
  (context) => {
    const session = database.for(context);
    const { account } = context;
    return {
      currentAccount: () => queryAccount(session),
      addCategory: (name) => addCategory(session, account, name),
      changeCategory: (id, change) => changeCategory(session, account, id, change),
      addUnit: (unit, decimals) => addUnit(session, account, unit, decimals),
      setDefaults: (defaults) => setDefaults(session, account, defaults),
    };
  };
