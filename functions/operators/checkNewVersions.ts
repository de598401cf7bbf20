import { newVersionsDependencies, newVersionsHandler } from '../../admin/smoke/newVersionsHandler.ts';

export const handler = newVersionsHandler(newVersionsDependencies(process.env));
