import { createHash } from 'node:crypto';

/**
 * The first line of the generated types. It names the document that they were made from, so that a test can tell whether
 * they are current without the generator.
 */
export const typesHeader = (document: string): string =>
  `// Written by npm run client-types from openapi.json, whose SHA-256 is ${createHash('sha256').update(document).digest('hex')}.\n`;
