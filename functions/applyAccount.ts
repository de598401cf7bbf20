import { openAccountDatabase, openAccountHandler } from '../admin/accounts/openAccount.ts';

export const handler = openAccountHandler(openAccountDatabase(process.env));
