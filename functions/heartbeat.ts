import { heartbeatDependencies } from '../lib/runtime/heartbeatDependencies.ts';
import { heartbeatHandler } from '../lib/smoke/heartbeatHandler.ts';

export const handler = heartbeatHandler(heartbeatDependencies(process.env));
