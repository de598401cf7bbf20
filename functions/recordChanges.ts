import { recordChangesHandler } from '../lib/changes/recordChangesHandler.ts';
import { recordChangesDependencies } from '../lib/runtime/dependencies.ts';

export const handler = recordChangesHandler(recordChangesDependencies(process.env));
