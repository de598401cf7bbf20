import { authorizerHandler } from '../lib/http/authorizerHandler.ts';
import { authorizerDependencies } from '../lib/runtime/composition.ts';

export const handler = authorizerHandler(authorizerDependencies(process.env));
