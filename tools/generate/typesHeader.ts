import { createHash } from 'node:crypto';

/**
 * The first line of the generated types. It has the hash of the document they were generated from, so that a test can
 * check that they are up to date without running the generator.
 */
export const typesHeader = (document: string): string =>
  `// Written by npm run client-types from openapi.json, whose SHA-256 is ${createHash('sha256').update(document).digest('hex')}.\n`;
