import { variables } from '../../../lib/runtime/environment.ts';

/**
 * Whether the run has its own embedded engine. With another DynamoDB, such as DynamoDB Local, the tests about the
 * embedded engine are skipped, because what they measure differs.
 */
export const usesEmbeddedEngine = (process.env[variables.dynamodb] ?? '') === '';
