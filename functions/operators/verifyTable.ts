import { verificationDependencies, verificationHandler } from '../../admin/verification/verificationHandler.ts';

export const handler = verificationHandler(verificationDependencies(process.env));
