import type { Context } from 'aws-lambda';
import type { TimedContext } from '../../catalog/requestContext.ts';
import { deadlineOf, timedContext } from '../../catalog/requestContext.ts';
import type { EpochMs } from '../../item/epoch.ts';
import type { Session } from '../../store/database/database.ts';
import { DocumentError, parseDocument } from './accountDocument.ts';
import { applyAccount } from './applyAccount.ts';
import type { Plan } from './planAccount.ts';

/** Dependencies of the function that applies account documents. */
export interface ApplyAccountDependencies {
  readonly open: (context: TimedContext) => Session<TimedContext>;
  readonly now: () => EpochMs;
  /** Writes an entry to the log. */
  readonly log: (entry: object) => void;
}

/** What the function answers: what it did, or why it did nothing. */
export type ApplyAccountResult =
  | ({ readonly account: string } & Plan)
  | { readonly error: Pick<DocumentError, 'message' | 'code' | 'fields'> };

/**
 * Applies the document that it is invoked with. A document that cannot be applied is answered, because another try would
 * not help. Everything else is thrown, so that Lambda counts it, and repeats an asynchronous invocation.
 */
export const applyAccountHandler =
  ({ open, now, log }: ApplyAccountDependencies) =>
  async (
    event: unknown,
    lambda: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
  ): Promise<ApplyAccountResult> => {
    const context = timedContext(deadlineOf(now(), lambda.getRemainingTimeInMillis()));
    const entry = {
      timestamp: new Date(now()).toISOString(),
      message: 'account document',
      requestId: lambda.awsRequestId,
    };
    try {
      const document = parseDocument(event);
      const plan = await applyAccount(open(context), document);
      const { roundTrips } = context.stats;
      log({ level: 'INFO', ...entry, account: document.account, changes: plan.changes.length, roundTrips });
      return { account: document.account, ...plan };
    } catch (error) {
      if (!(error instanceof DocumentError)) throw error;
      const { message, code, fields } = error;
      log({ level: 'INFO', ...entry, code });
      return { error: { message, code, fields } };
    }
  };
