import { heartbeatDependencies, heartbeatHandler } from '../../admin/smoke/heartbeatHandler.ts';

export const handler = heartbeatHandler(heartbeatDependencies(process.env));
