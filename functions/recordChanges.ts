import { recordChangesHandler } from '../lib/changes/recordChangesHandler.ts';
import { recordChangesDependencies } from '../lib/runtime/recordChangesDependencies.ts';

export const handler = recordChangesHandler(recordChangesDependencies(process.env));
