import { authorize } from '../../../../lib/access/authorize.ts';
import { timedContext } from '../../../../lib/catalog/requestContext.ts';
import { findToken } from '../../../../lib/store/catalog/findToken.ts';
import { subcommands } from '../../../../tools/admin/catalog/subcommands.ts';
import type { TestTable } from '../../../support/testTable.ts';

/** Runs subcommands on a table, without the program around them. */
export function operatorOf({ database }: TestTable) {
  const work = () => timedContext(Date.now() + 8_000);
  const run = async (name: string, options: Record<string, string | string[]>) => {
    const command = subcommands.find((known) => known.name === name);
    if (command === undefined) throw new Error(`There is no command ${name}`);
    return command.prepare(options)(database.for(work()));
  };
  return {
    /** The output of a subcommand, with options as an operator types them. */
    run,
    dataOf: async (...args: Parameters<typeof run>) => (await run(...args)).data,
    /** The caller whom the authorizer finds for a token. */
    callerOf: (token: string, now = Date.now()) =>
      authorize({ find: (call, text) => findToken(database.for(call), text) }, work(), [`Bearer ${token}`], now),
  };
}
