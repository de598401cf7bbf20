import { variables } from '../../lib/runtime/environment.ts';

/**
 * Whether the run has its own embedded engine. With another DynamoDB, such as DynamoDB Local, the tests about the embedded
 * engine are left out, and what they would measure differs.
 */
export const usesEmbeddedEngine = (process.env[variables.dynamodb] ?? '') === '';
