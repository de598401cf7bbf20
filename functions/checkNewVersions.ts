import { newVersionsDependencies } from '../lib/runtime/newVersionsDependencies.ts';
import { newVersionsHandler } from '../lib/smoke/newVersionsHandler.ts';

export const handler = newVersionsHandler(newVersionsDependencies(process.env));
