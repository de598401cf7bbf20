import { findTable } from '../../cli/findTable.ts';
import { openTable } from '../../cli/openTable.ts';
import { print } from '../../cli/print.ts';
import { runCommand } from '../../cli/runCommand.ts';
import { help, readArguments, type VerifyOptions } from './options.ts';
import { printFindings } from './printFindings.ts';

/** @returns the exit code */
async function verify({ env, table, repair: repairs, json, ...pace }: VerifyOptions): Promise<number> {
  const opened = openTable(await findTable(env, table));
  const verification = await printFindings(opened, { repairs, ...pace }, json ? () => undefined : print);
  if (json) print(JSON.stringify(verification));
  return verification.remaining === 0 ? 0 : 1;
}

await runCommand(async (args) => {
  const given = readArguments(args);
  if (given !== 'help') return verify(given);
  print(help);
  return 0;
});
