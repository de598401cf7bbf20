import { applyAccountDependencies } from '../admin/accounts/applyAccountDependencies.ts';
import { applyAccountHandler } from '../admin/accounts/applyAccountHandler.ts';

export const handler = applyAccountHandler(applyAccountDependencies(process.env));
