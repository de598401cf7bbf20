import { authorizerHandler } from '../lib/http/authorizer.ts';
import { authorizerDependencies, openDatabase } from '../lib/runtime/compose.ts';

export const handler = authorizerHandler(authorizerDependencies(openDatabase(process.env)));
