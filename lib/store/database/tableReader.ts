import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { TimedContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Key } from '../records/keys.ts';
import type { StoredRecord } from './documentClient.ts';
import { asRefusal, ConditionFailed, cancellationReasons, retryReason, UnknownOutcome } from './failures.ts';
import type { Clock } from './retryPolicy.ts';
import { Attempts, RetryBudget } from './retryPolicy.ts';

const systemClock: Clock = { now: Date.now, random: Math.random, sleep };

/** How to handle a failed message. */
export interface SendOptions {
  /** Whether sending the same message twice has the effect of sending it once. */
  readonly idempotent: boolean;
  /** The names of a write's parts, in the order of sending. */
  readonly parts?: readonly string[];
  /** Whether a failed condition decides the outcome, even if another part of the transaction conflicted. */
  readonly isFinal?: ((failed: ConditionFailed) => boolean) | undefined;
}

/** Options are only passed if a message has less time than usual, because they take the client's slower path. */
type Dispatch<Output> = (client: DocumentSender, options: { requestTimeout: number } | undefined) => Promise<Output>;

/** The members of the document client that are needed here. */
export type DocumentSender = Pick<DynamoDBDocumentClient, 'send'>;

/**
 * Reads single records, which is all that the authorizer needs. This is also the only code that sends to DynamoDB and
 * retries. The SDK's own retries are disabled: it would repeat plain updates blindly, overwriting a later writer's, and
 * not repeat cancelled transactions.
 */
export class TableReader {
  readonly table: string;
  readonly clock: Clock;
  readonly #client: DocumentSender;
  readonly #budget = new RetryBudget();

  constructor(client: DocumentSender, table: string, clock: Clock = systemClock) {
    this.#client = client;
    this.table = table;
    this.clock = clock;
  }

  /** A strongly consistent read of one record. */
  async get(context: TimedContext, key: Key): Promise<StoredRecord | undefined> {
    const command = new GetCommand({ TableName: this.table, Key: key, ConsistentRead: true });
    const { Item } = await this.send(context, { idempotent: true }, (client, options) => client.send(command, options));
    return Item;
  }

  /** The attempts at work that takes more than one message. */
  attempts(context: TimedContext): Attempts {
    return new Attempts(context, this.clock, this.#budget);
  }

  /** Sends one message, and retries as far as `options` and the retry policies allow. */
  protected async send<Output>(
    context: TimedContext,
    options: SendOptions,
    dispatch: Dispatch<Output>,
  ): Promise<Output> {
    const attempts = this.attempts(context);
    for (;;) {
      const left = context.deadline - this.clock.now();
      if (left <= 0) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: new Error('No time is left') });
      context.stats.roundTrips += 1;
      const sent = this.clock.now();
      try {
        const sendOptions = left < timeouts.databaseRequest ? { requestTimeout: left } : undefined;
        const output = await dispatch(this.#client, sendOptions).finally(() => {
          context.stats.databaseTime += this.clock.now() - sent;
        });
        attempts.succeed();
        return output;
      } catch (error) {
        await this.#recover(error, options, attempts);
      }
    }
  }

  /** Returns when it is time to send the message again. Otherwise throws the final error. */
  async #recover(error: unknown, { idempotent, parts = [], isFinal }: SendOptions, attempts: Attempts): Promise<void> {
    const reasons = cancellationReasons(error);
    const failed = reasons && new ConditionFailed(parts, reasons, attempts.count('unknown') > 0);
    if (failed !== undefined && isFinal?.(failed)) throw failed;
    const reason = retryReason(error);
    if (reason === 'unknown' && !idempotent) throw new UnknownOutcome(error);
    if (reason !== undefined) return attempts.backOff(reason, error);
    const refusal = asRefusal(error);
    if (refusal !== error) throw refusal;
    throw failed?.isComplete === true ? failed : error;
  }
}
