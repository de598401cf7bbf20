import { authorizerHandler } from '../lib/http/authorizerHandler.ts';
import { authorizerDependencies } from '../lib/runtime/dependencies.ts';

export const handler = authorizerHandler(authorizerDependencies(process.env));
