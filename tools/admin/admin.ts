import { openDatabase } from '../../lib/store/database/connect.ts';
import { findTable } from '../cli/findTable.ts';
import { print } from '../cli/print.ts';
import { runCommand } from '../cli/runCommand.ts';
import { createAdmin } from './createAdmin.ts';

await runCommand(
  createAdmin({
    open: async (environment) => openDatabase(await findTable(environment)),
    show: ({ text, data }, json) => print(json ? JSON.stringify(data) : text),
  }),
);
