import { verificationHandler } from '../lib/operator/verification/verificationHandler.ts';
import { verificationDependencies } from '../lib/runtime/verificationDependencies.ts';

export const handler = verificationHandler(verificationDependencies(process.env));
