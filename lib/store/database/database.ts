import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  DynamoDBClient,
  PutItemCommandInput,
  TransactWriteItem,
  UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import {
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import type { TimedContext } from '../../catalog/catalogStore.ts';
import { CatalogError } from '../../item/errors.ts';
import type { Key } from '../records/keys.ts';
import { keyAttributes } from '../records/keys.ts';
import type { Attributes } from './attributes.ts';
import { toAttribute } from './attributes.ts';
import { asRefusal, ConditionFailed, cancellationReasons, retryReason, UnknownOutcome } from './failures.ts';
import type { Clock } from './retryPolicy.ts';
import { Attempts, RetryBudget } from './retryPolicy.ts';

/** Time for one message to be answered, in milliseconds. */
export const messageTimeout = 1_000;

const systemClock: Clock = { now: Date.now, random: Math.random, sleep };

type Dispatch<Output> = (options: { abortSignal: AbortSignal }) => Promise<Output>;

/** What may be done about a message that failed. */
interface SendOptions {
  /** Whether the very same message can be sent twice without doing its work twice. */
  readonly idempotent: boolean;
  /** Whether a refusal decides the matter although a part of the transaction met a conflict. */
  readonly isFinal?: (refused: ConditionFailed) => boolean;
}

/**
 * The table, and the only place that sends to DynamoDB and sends again. The SDK's own retries are off: it would repeat
 * plain updates blindly, over a later writer's, and not repeat cancelled transactions.
 */
export class Database {
  readonly table: string;
  readonly clock: Clock;
  readonly #client: Pick<DynamoDBClient, 'send'>;
  readonly #budget = new RetryBudget();

  constructor(client: Pick<DynamoDBClient, 'send'>, table: string, world: Clock = systemClock) {
    this.#client = client;
    this.table = table;
    this.clock = world;
  }

  /** A strongly consistent read of one record. */
  async get(work: TimedContext, key: Key): Promise<Attributes | undefined> {
    const command = new GetItemCommand({ TableName: this.table, Key: keyOf(key), ConsistentRead: true });
    const { Item } = await this.#send(work, { idempotent: true }, (options) => this.#client.send(command, options));
    return Item;
  }

  /** A strongly consistent read of all records of a partition. */
  async query(work: TimedContext, partition: string): Promise<Attributes[]> {
    const records: Attributes[] = [];
    let start: Attributes | undefined;
    do {
      const command = new QueryCommand({
        TableName: this.table,
        KeyConditionExpression: '#pk = :pk',
        ExpressionAttributeNames: { '#pk': keyAttributes.partition },
        ExpressionAttributeValues: { ':pk': { S: partition } },
        ConsistentRead: true,
        ExclusiveStartKey: start,
      });
      const page = await this.#send(work, { idempotent: true }, (options) => this.#client.send(command, options));
      records.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start !== undefined);
    return records;
  }

  /** @throws Refused when its condition does not hold; sent again after a lost answer, it may be refused by what it wrote itself */
  async put(work: TimedContext, input: Omit<PutItemCommandInput, 'TableName'>): Promise<void> {
    const command = new PutItemCommand({ ...input, TableName: this.table });
    await this.#send(work, { idempotent: true }, (options) => this.#client.send(command, options));
  }

  /**
   * Updates one record.
   * @param manner whether the update may be sent twice
   * @returns the whole record after it
   * @throws Refused when its condition does not hold; UnknownOutcome when it is not repeatable and its answer was lost
   */
  async update(
    work: TimedContext,
    input: Omit<UpdateItemCommandInput, 'TableName' | 'ReturnValues'>,
    manner: SendOptions,
  ): Promise<Attributes> {
    const command = new UpdateItemCommand({ ...input, TableName: this.table, ReturnValues: 'ALL_NEW' });
    const { Attributes } = await this.#send(work, manner, (options) => this.#client.send(command, options));
    return Attributes ?? {};
  }

  /**
   * Writes all or nothing. One token goes with all sendings, so that DynamoDB does the work once.
   * @throws Refused when a condition does not hold
   */
  async transact(work: TimedContext, items: TransactWriteItem[], isFinal?: SendOptions['isFinal']): Promise<void> {
    const command = new TransactWriteItemsCommand({ TransactItems: items, ClientRequestToken: randomUUID() });
    const manner = { idempotent: true, ...(isFinal === undefined ? {} : { isFinal }) };
    await this.#send(work, manner, (options) => this.#client.send(command, options));
  }

  /** The tries of a piece of work that is larger than one message. */
  attempts(work: TimedContext): Attempts {
    return new Attempts(work, this.clock, this.#budget);
  }

  async #send<Output>(work: TimedContext, manner: SendOptions, dispatch: Dispatch<Output>): Promise<Output> {
    const retries = this.attempts(work);
    for (;;) {
      const left = work.deadline - this.clock.now();
      if (left <= 0) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: new Error('No time is left') });
      work.stats.roundTrips += 1;
      try {
        // Ends the whole exchange; the SDK's own request timeout ends at the answer's headers.
        const abortSignal = AbortSignal.timeout(Math.min(messageTimeout, left));
        const output = await dispatch({ abortSignal });
        this.#budget.earn();
        return output;
      } catch (error) {
        await this.#recover(error, manner, retries);
      }
    }
  }

  /** Returns when the message should be sent again; otherwise throws what it came to. */
  async #recover(error: unknown, manner: SendOptions, retries: Attempts): Promise<void> {
    const reasons = cancellationReasons(error);
    const refused = reasons && new ConditionFailed(reasons, retries.count('unknown') > 0);
    if (refused !== undefined && manner.isFinal?.(refused)) throw refused;
    const reason = retryReason(error);
    if (reason === 'unknown' && !manner.idempotent) throw new UnknownOutcome(error);
    if (reason !== undefined) return retries.backOff(reason, error);
    const refusal = asRefusal(error);
    if (refusal !== error) throw refusal;
    throw refused?.isComplete === true ? refused : error;
  }
}

/** A record's key as DynamoDB takes it. */
export const keyOf = (key: Key): Attributes => ({ pk: toAttribute(key.pk), sk: toAttribute(key.sk) });
