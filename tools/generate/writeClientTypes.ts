import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { runProgram } from '../../cli/runProgram.ts';

const file = 'test/frontend/catalogApi.d.ts';

// The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 no longer has, so it is not a dependency
// but downloaded when needed.
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'].flatMap((name) => ['--package', name]);

/**
 * Generates the types of the frontend's client from openapi.json. Their first line has its hash, so that a test can check
 * that they are up to date without running the generator.
 * @returns the exit code
 */
export async function writeClientTypes(): Promise<number> {
  const generate = ['--', 'openapi-typescript', 'openapi.json', '--output', file];
  const status = await runProgram('npx', ['--yes', ...packages, ...generate], process.env);
  if (status !== 0) return status;
  const hash = createHash('sha256').update(readFileSync('openapi.json')).digest('hex');
  const header = `// Written by npm run generate -- types from openapi.json, whose SHA-256 is ${hash}.\n`;
  writeFileSync(file, header + readFileSync(file, 'utf8'));
  return 0;
}
