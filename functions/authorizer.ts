import { authorizerHandler } from '../lib/http/authorizerHandler.ts';
import { authorizerDependencies } from '../lib/runtime/authorizerDependencies.ts';

export const handler = authorizerHandler(authorizerDependencies(process.env));
