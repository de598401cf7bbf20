import { applyAccountHandler } from '../lib/operator/accountDocument/applyAccountHandler.ts';
import { applyAccountDependencies } from '../lib/runtime/applyAccountDependencies.ts';

export const handler = applyAccountHandler(applyAccountDependencies(process.env));
