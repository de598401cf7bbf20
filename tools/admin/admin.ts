import { askOnTerminal } from '../cli/askOnTerminal.ts';
import { findTable } from '../cli/findTable.ts';
import { openTable } from '../cli/openTable.ts';
import { print } from '../cli/print.ts';
import { runCommand } from '../cli/runCommand.ts';
import { createAdmin } from './createAdmin.ts';

await runCommand(
  createAdmin({
    open: async (environment) => openTable(await findTable(environment)),
    show: ({ text, data }, json) => print(json ? JSON.stringify(data) : text),
    ask: askOnTerminal,
  }),
);
