import { verificationDependencies } from '../admin/verification/verificationDependencies.ts';
import { verificationHandler } from '../admin/verification/verificationHandler.ts';

export const handler = verificationHandler(verificationDependencies(process.env));
