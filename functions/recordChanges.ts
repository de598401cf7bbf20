import { recordChangesHandler } from '../lib/operator/recordChangesHandler.ts';
import { recordChangesDependencies } from '../lib/runtime/recordChangesDependencies.ts';

export const handler = recordChangesHandler(recordChangesDependencies(process.env));
