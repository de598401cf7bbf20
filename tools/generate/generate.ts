import { writeFileSync } from 'node:fs';
import { createProgram, runCommand } from '../../cli/program.ts';
import { addProgram } from '../../cli/runProgram.ts';
import { openApiDocument } from '../../lib/openapi/openApiDocument.ts';
import packageJson from '../../package.json' with { type: 'json' };

const program = createProgram('npm run generate --', 'Generates the files that are derived from the code.');

program
  .command('contract')
  .description('openapi.json, from the code.')
  .action(() => {
    writeFileSync('openapi.json', `${JSON.stringify(openApiDocument(packageJson.version), undefined, 2)}\n`);
  });

addProgram(program, 'records', 'The records that later versions must read; or tests that a commit reads them.', [
  'test/records/records.ts',
]);

await runCommand(program);
