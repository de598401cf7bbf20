import type { Context } from 'aws-lambda';
import * as z from 'zod/mini';
import { CommandError } from '../../cli/print.ts';
import { accountId, accountIdRule } from '../../lib/access/accountId.ts';
import { deadlineOf, timedContext } from '../../lib/catalog/requestContext.ts';
import { readEnvironment, type Source } from '../../lib/runtime/environment.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';
import { openAccount } from './accounts.ts';

export interface OpenAccountDependencies {
  readonly database: Database;
  readonly log: (entry: object) => void;
}

const request = z.strictObject({ account: z.string().check(z.regex(accountId)) });

const whatToSend = `Send only { "account": "…" }, which ${accountIdRule}. Everything else is configured over HTTP, with the permission catalog:admin.`;

/**
 * Opens the account that it is invoked with, unless it is open. A request that cannot be fulfilled is answered with an
 * error, because another try would not help. Everything else is thrown, so that Lambda counts it, and repeats an
 * asynchronous invocation.
 */
export const openAccountHandler =
  ({ database, log }: OpenAccountDependencies) =>
  async (event: unknown, lambda: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>) => {
    const { data } = request.safeParse(event);
    if (data === undefined) return refusal('INVALID_DOCUMENT', whatToSend);
    const { account } = data;
    const context = timedContext(deadlineOf(database.clock.now(), lambda.getRemainingTimeInMillis()));
    try {
      const opened = await openAccount(database.for(context), account);
      log({ level: 'INFO', message: 'open account', requestId: lambda.awsRequestId, account, opened });
      return { account, opened };
    } catch (error) {
      if (error instanceof CommandError) return refusal('IMPOSSIBLE_CHANGE', error.message);
      throw error;
    }
  };

/** Has the codes that programs know from earlier versions, to which they sent whole documents. */
const refusal = (code: 'INVALID_DOCUMENT' | 'IMPOSSIBLE_CHANGE', message: string) => ({ error: { code, message } });

export const openAccountDependencies = (source: Source): OpenAccountDependencies => ({
  database: openDatabase(readEnvironment(source)),
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
