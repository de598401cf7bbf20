import { text as readAll } from 'node:stream/consumers';
import { askOnTerminal } from '../cli/askOnTerminal.ts';
import { findTable } from '../cli/findStack.ts';
import { print, printError } from '../cli/print.ts';
import { runCommand } from '../cli/program.ts';
import { createAdmin } from './createAdmin.ts';
import { openTable } from './table/openTable.ts';

await runCommand(
  createAdmin({
    open: async (environment) => {
      const { awsAccount, ...location } = await findTable(environment);
      return { ...openTable(location), awsAccount };
    },
    readInput: async () => {
      if (process.stdin.isTTY) printError('Paste the text, and press Enter and Ctrl-D.');
      return readAll(process.stdin);
    },
    show: ({ text, data }, json) => print(json ? JSON.stringify(data, null, 2) : text),
    ask: askOnTerminal,
  }),
);
