import { readFileSync, writeFileSync } from 'node:fs';
import { readOptions, usageError, wholeNumber } from '../../infra/cli/arguments.ts';
import { runCommand } from '../../infra/cli/runCommand.ts';
import { markdown, replaceTable } from './pageTable.ts';
import { limitsTable, needsTable, unitsTable } from './paperTables.ts';
import { hotTable, leasesTable } from './simulatedTables.ts';

const help = `Calculates how much load one account and one table can take, and simulates id leases and hot partitions, for
docs/scale.md. Takes about a minute. The same seed gives the same results.

  npm run scale -- [options]

  --seed N    1 by default, as on the page
  --write     updates the tables of the page
  --help      show this`;

const pageFile = new URL('../../docs/scale.md', import.meta.url);

await runCommand(async (args) => {
  const options = { seed: { type: 'string' }, write: { type: 'boolean' }, help: { type: 'boolean' } } as const;
  const given = readOptions(args, options);
  if (given.help) {
    console.log(help);
    return 0;
  }
  const seed = wholeNumber('seed', given.seed, { initial: 1, least: 0 });
  if (given.write && seed !== 1) throw usageError('The page shows the results of seed 1');
  for (const build of [limitsTable, unitsTable, needsTable, () => leasesTable(seed), () => hotTable(seed)]) {
    const table = await build();
    console.log(`\n${table.after.replace('## ', '')}\n\n${markdown(table)}`);
    if (given.write) writeFileSync(pageFile, replaceTable(readFileSync(pageFile, 'utf8'), table));
  }
  return 0;
});
