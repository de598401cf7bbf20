import { setLocalCredentials } from '../../cli/localCredentials.ts';
import { valueOption, wholeNumber } from '../../cli/options.ts';
import { print } from '../../cli/print.ts';
import { createProgram, runCommand } from '../../cli/runCommand.ts';
import { startOwnEngine } from '../support/table/ownEngine.ts';
import { rehearse } from './rehearsal.ts';

const program = createProgram(
  'npm run nightly -- rehearse-restore',
  'Rehearses the restore of a damaged table on the embedded engine: fills a table and a damaged copy of it, copies back ' +
    'what was lost by the command itself, kills that on its way and runs it again, and verifies the table.',
);
program
  .addOption(valueOption('--items <number>', 'items in the table', wholeNumber(10, 1_000_000_000)).default(100_000))
  .addOption(valueOption('--kills <number>', 'how often the command is killed', wholeNumber(0, 100)).default(3))
  .action(async ({ items, kills }) => {
    setLocalCredentials();
    const engine = await startOwnEngine();
    try {
      const { lost, killed, last, verification, differences } = await rehearse({ items, kills, engine, ...engine });
      print(`${items} items, of which ${lost} were lost.`);
      for (const { milliseconds, out } of killed)
        print(`Killed after ${(milliseconds / 1_000).toFixed(1)} s and ${out.length} lines of output.`);
      print(`Then ended after ${(last.milliseconds / 1_000).toFixed(1)} s: ${last.out.at(-2)}`);
      print(`Verified in ${(verification.milliseconds / 1_000).toFixed(1)} s: ${verification.out.at(-1)}`);
      print(differences.length === 0 ? 'Every item is as it should be.' : differences.slice(0, 20).join('\n'));
      process.exitCode = verification.code === 0 && differences.length === 0 ? 0 : 1;
    } finally {
      await engine.stop();
    }
  });
await runCommand(program);
