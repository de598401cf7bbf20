import { createProgram, runCommand } from '../cli/program.ts';
import { addProgram } from '../cli/runProgram.ts';

const stryker = ['@stryker-mutator/core@10.1.1', '@stryker-mutator/vitest-runner@10.1.1'];
/** Runs tests that do more at night. */
const tests = ['env', 'NIGHTLY=yes', 'vitest', 'run', '--project=engine'] as const;

const program = createProgram('npm run nightly --', 'Tests that take long or need other programs.');

addProgram(program, 'schedules', 'Every schedule of two requests.', [...tests, 'test/faults/schedules']);
addProgram(program, 'fuzz', 'Thousands of mutated events.', [...tests, 'test/fuzz/fuzz']);
addProgram(program, 'mutation', 'Mutation tests, by Stryker, which it downloads; all of them take days on two cores.', [
  ...(['npx', '--yes', ...stryker.flatMap((name) => ['--package', name])] as [string, ...string[]]),
  ...['--', 'stryker', 'run', 'test/mutation/stryker.config.mjs'],
]);
addProgram(program, 'schemathesis', 'The local service against openapi.json; needs Python 3.10 and PyPI.', [
  'test/schemathesis/schemathesis.ts',
]);
addProgram(program, 'try-pages', 'The pages /docs and /app in a browser; needs Chromium on the PATH.', [
  'test/browser/tryPages.ts',
]);
addProgram(program, 'try-client', 'The packed client in Chromium and each Node; needs Linux and a registry.', [
  'test/browser/tryClient.ts',
]);
addProgram(program, 'try-import', 'Sheets in a browser, while tabs close and the service is killed; needs Chromium.', [
  'test/browser/tryImport.ts',
]);
addProgram(program, 'try-sign-in', 'A sign-in at a real identity provider; needs Chromium and a registry.', [
  'test/browser/trySignIn.ts',
]);
addProgram(program, 'try-undo', 'An undo of 2,000 items, killed twice, while others write.', [
  'test/client/tryUndo.ts',
]);
addProgram(program, 'grow-sheets', 'Sheets of growing size and many kinds, each read in linear time and 400 MB.', [
  'node',
  '--max-old-space-size=400',
  'test/client/growSheets.ts',
]);
addProgram(program, 'sync-page', 'The programs that sync a system, in Python too; needs Python 3.10 and PyPI.', [
  ...tests,
  'test/docs/nightlySync',
]);
addProgram(program, 'aws-commands', 'The commands of aws on the pages, by its own model; needs the AWS CLI.', [
  'test/docs/awsCommands.ts',
]);
addProgram(program, 'fill-in', 'Fills in the settings of this checkout, all with --all, for npm test and check.', [
  'test/infra/fillIn.ts',
]);
addProgram(program, 'import-soak', 'Imports of thousands of rows, killed and repeated.', ['test/admin/importSoak.ts']);

await runCommand(program);
