import type { Output } from '../../admin/adminProgram.ts';
import { createAdmin } from '../../admin/createAdmin.ts';
import { authorize } from '../../lib/access/authorize.ts';
import { timedContext } from '../../lib/catalog/requestContext.ts';
import { findToken } from '../../lib/store/catalog/findToken.ts';
import type { TestTable } from '../support/table/testTable.ts';

/** Runs commands in this process, on a table unless they need none. */
export function operatorOf(table: TestTable | undefined, ask: (question: string) => Promise<string> = async () => '') {
  const opened = () => {
    if (table === undefined) throw new Error('no table');
    return { database: table.database, source: table };
  };
  const run = async (name: string, options: Record<string, string | string[]>, input = ''): Promise<Output> => {
    const shown: Output[] = [];
    const admin = createAdmin({
      open: async (environment) => ({ ...opened(), ...(environment !== undefined && { awsAccount: '111122223333' }) }),
      readInput: async () => input,
      show: (output) => shown.push(output),
      ask,
    });
    const given = Object.entries(options).flatMap(([option, values]) =>
      [values].flat().flatMap((value) => [`--${option}`, value]),
    );
    await admin.parseAsync([...name.split(' '), ...given], { from: 'user' });
    const [output] = shown;
    if (output === undefined) throw new Error(`${name} showed nothing`);
    return output;
  };
  return {
    /** The output of a command, with options as an operator types them. */
    run,
    unwrap: async (...args: Parameters<typeof run>) => (await run(...args)).data,
    /** The caller whom the authorizer finds for a token. */
    callerOf: (token: string, now = Date.now()) =>
      authorize(
        { find: (call, text) => findToken(opened().database.for(call), text) },
        timedContext(Date.now() + 8_000),
        [`Bearer ${token}`],
        now,
      ),
  };
}
