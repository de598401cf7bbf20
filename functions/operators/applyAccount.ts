import { openAccountDependencies, openAccountHandler } from '../../admin/accounts/openAccountHandler.ts';

export const handler = openAccountHandler(openAccountDependencies(process.env));
