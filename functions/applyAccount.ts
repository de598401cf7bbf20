import { applyAccountDependencies, applyAccountHandler } from '../admin/accounts/applyAccountHandler.ts';

export const handler = applyAccountHandler(applyAccountDependencies(process.env));
