import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../cli/runCommand.ts';
import { runProgram } from '../cli/runProgram.ts';
import { typesHeader } from './typesHeader.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const file = 'test/frontend/catalogApi.d.ts';

// The generator needs the JavaScript API of TypeScript 5, which TypeScript 7 no longer has, so it is not a dependency
// but downloaded when needed.
const packages = ['openapi-typescript@7.13.0', 'typescript@5.9.3'].flatMap((name) => ['--package', name]);

await runCommand(async () => {
  process.chdir(root);
  const generate = ['--', 'openapi-typescript', 'openapi.json', '--output', file];
  const status = await runProgram('npx', ['--yes', ...packages, ...generate], process.env);
  if (status !== 0) return status;
  writeFileSync(file, typesHeader(readFileSync('openapi.json', 'utf8')) + readFileSync(file, 'utf8'));
  return 0;
});
