import { readOptions, wholeNumber } from '../../../../tools/cli/arguments.ts';
import { setLocalCredentials } from '../../../../tools/cli/localCredentials.ts';
import { print } from '../../../../tools/cli/print.ts';
import { runCommand } from '../../../../tools/cli/runCommand.ts';
import { startOwnEngine } from '../../../support/ownEngine.ts';
import { rehearse } from './rehearsal.ts';

const help = `Rehearses the restore of a damaged table on the embedded engine: fills a table and a damaged copy of it, copies back what
was lost by the command itself, kills that on its way and runs it again, and verifies the table.

  npm run rehearse-restore -- [options]

  --items N   items in the table: 100000 unless given
  --kills N   how often the command is killed: 3 unless given
  --help      show this

Exit code: 0 if all that was lost is back, 1 if not, 2 for wrong arguments.`;

const text = { type: 'string' } as const;

await runCommand(async (args) => {
  const given = readOptions(args, { items: text, kills: text, help: { type: 'boolean' } });
  if (given.help === true) {
    print(help);
    return 0;
  }
  const items = wholeNumber('items', given.items, { initial: 100_000, least: 10 });
  const kills = wholeNumber('kills', given.kills, { initial: 3, least: 0, most: 100 });
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
    return verification.code === 0 && differences.length === 0 ? 0 : 1;
  } finally {
    await engine.stop();
  }
});
