import type { Context } from 'aws-lambda';
import { deadlineOf, timedContext } from '../../lib/catalog/requestContext.ts';
import { readEnvironment, type Source } from '../../lib/runtime/environment.ts';
import type { Database } from '../../lib/store/database/database.ts';
import { openDatabase } from '../../lib/store/sdk/connect.ts';
import { DocumentError, parseDocument } from './accountDocument.ts';
import { applyAccount } from './applyAccount.ts';

export interface ApplyAccountDependencies {
  readonly database: Database;
  readonly log: (entry: object) => void;
}

/**
 * Applies the document that it is invoked with. A document that cannot be applied is answered, because another try would
 * not help. Everything else is thrown, so that Lambda counts it, and repeats an asynchronous invocation.
 */
export const applyAccountHandler =
  ({ database, log }: ApplyAccountDependencies) =>
  async (event: unknown, lambda: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>) => {
    const context = timedContext(deadlineOf(database.clock.now(), lambda.getRemainingTimeInMillis()));
    const entry = { level: 'INFO', message: 'account document', requestId: lambda.awsRequestId };
    try {
      const document = parseDocument(event);
      const { account } = document;
      const plan = await applyAccount(database.for(context), document);
      log({ ...entry, account, changes: plan.changes.length, roundTrips: context.stats.roundTrips });
      return { account, ...plan };
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      const { message, code, fields } = error;
      log({ ...entry, code });
      return { error: { message, code, fields } };
    }
  };

export const applyAccountDependencies = (source: Source): ApplyAccountDependencies => ({
  database: openDatabase(readEnvironment(source)),
  log: (entry) => process.stdout.write(`${JSON.stringify(entry)}\n`),
});
