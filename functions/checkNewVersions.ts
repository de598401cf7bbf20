import { newVersionsDependencies } from '../admin/smoke/newVersionsDependencies.ts';
import { newVersionsHandler } from '../admin/smoke/newVersionsHandler.ts';

export const handler = newVersionsHandler(newVersionsDependencies(process.env));
