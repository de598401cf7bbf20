import { heartbeatDependencies } from '../admin/smoke/heartbeatDependencies.ts';
import { heartbeatHandler } from '../admin/smoke/heartbeatHandler.ts';

export const handler = heartbeatHandler(heartbeatDependencies(process.env));
