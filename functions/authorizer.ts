import { authorizerHandler } from '../lib/http/authorizer.ts';
import { authorizerDependencies } from '../lib/runtime/compose.ts';

export const handler = authorizerHandler(authorizerDependencies(process.env));
