import { setTimeout as sleep } from 'node:timers/promises';
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactGetCommand,
} from '@aws-sdk/lib-dynamodb';
import type { RequestContext, TimedContext } from '../../catalog/requestContext.ts';
import { timeouts } from '../../catalog/timeouts.ts';
import { CatalogError } from '../../item/errors.ts';
import { equals, expressions } from './expressions.ts';
import { asCallersError, ConditionFailed, cancellationReasons, retryReason, UnknownOutcome } from './failures.ts';
import { type Key, keyAttributes, type StoredRecord } from './record.ts';
import { Attempts, type Clock, RetryBudget } from './retryPolicy.ts';

const systemClock: Clock = { now: Date.now, random: Math.random, sleep };

export type DocumentSender = Pick<DynamoDBDocumentClient, 'send'>;

/** A table, as opened once by a container. */
export class Database {
  readonly client: DocumentSender;
  readonly table: string;
  readonly clock: Clock;
  /** Shared by all requests of the container. */
  readonly budget = new RetryBudget();

  constructor(client: DocumentSender, table: string, clock: Clock = systemClock) {
    this.client = client;
    this.table = table;
    this.clock = clock;
  }

  beside(table: string): Database {
    return new Database(this.client, table, this.clock);
  }

  /** Opens the table for one request, whose deadline then applies to everything that is sent. */
  for<Context extends TimedContext>(context: Context): Session<Context> {
    return new Session(this, context);
  }
}

export interface CommandOptions {
  /** Whether sending the same request twice has the effect of sending it once. */
  readonly idempotent: boolean;
  /** The names of a write's parts, in the order of sending. */
  readonly parts?: readonly string[];
  /** Whether a failed condition decides the outcome, even if another part of the transaction conflicted. */
  readonly isFinal?: ((failed: ConditionFailed) => boolean) | undefined;
}

/** Options are only passed if a request has less time than usual, because they take the client's slower path. */
type Dispatch<Output> = (client: DocumentSender, options: { requestTimeout: number } | undefined) => Promise<Output>;

/**
 * A table as one request uses it. This is the only code that sends to DynamoDB and retries; the reads below and
 * `writes.ts` build what it sends. The SDK's own retries are disabled: it would repeat plain updates blindly, overwriting
 * a later writer's, and not repeat cancelled transactions.
 */
export class Session<Context extends TimedContext = RequestContext> {
  readonly context: Context;
  readonly #database: Database;

  constructor(database: Database, context: Context) {
    this.#database = database;
    this.context = context;
  }

  get table(): string {
    return this.#database.table;
  }

  get clock(): Clock {
    return this.#database.clock;
  }

  /** The attempts at work that takes more than one request. */
  attempts(): Attempts {
    return new Attempts(this.context, this.clock, this.#database.budget);
  }

  /** Sends one request to DynamoDB, and retries as far as `options` and the retry policies allow. */
  async send<Output>(options: CommandOptions, dispatch: Dispatch<Output>): Promise<Output> {
    const { deadline, stats } = this.context;
    const attempts = this.attempts();
    for (;;) {
      const left = deadline - this.clock.now();
      if (left <= 0) throw new CatalogError('SERVICE_UNAVAILABLE', { cause: new Error('No time is left') });
      stats.roundTrips += 1;
      const sent = this.clock.now();
      try {
        const sendOptions = left < timeouts.databaseRequest ? { requestTimeout: left } : undefined;
        const output = await dispatch(this.#database.client, sendOptions).finally(() => {
          stats.databaseTime += this.clock.now() - sent;
        });
        attempts.succeed();
        return output;
      } catch (error) {
        await recover(error, options, attempts);
      }
    }
  }
}

/** For work that no caller asked for. */
export type TimedSession = Session<TimedContext>;

/** Returns when it is time to send the request again. Otherwise throws the final error. */
async function recover(error: unknown, { idempotent, parts = [], isFinal }: CommandOptions, attempts: Attempts) {
  const reasons = cancellationReasons(error);
  const failed = reasons && new ConditionFailed(parts, reasons, attempts.count('unknown') > 0);
  if (failed !== undefined && isFinal?.(failed)) throw failed;
  const reason = retryReason(error);
  if (reason === 'unknown' && !idempotent) throw new UnknownOutcome(error);
  if (reason !== undefined) return attempts.backOff(reason, error);
  const callersError = asCallersError(error);
  if (callersError !== error) throw callersError;
  throw failed?.isComplete === true ? failed : error;
}

const sentAgain = { idempotent: true };

/** A strongly consistent read of one record. */
export async function getRecord(session: TimedSession, key: Key): Promise<StoredRecord | undefined> {
  const command = new GetCommand({ TableName: session.table, Key: key, ConsistentRead: true });
  return (await session.send(sentAgain, (client, options) => client.send(command, options))).Item;
}

/** Strongly consistent, in any order. Asks again for what DynamoDB leaves out. @param keys up to 100, all different */
export async function getRecords(session: TimedSession, keys: readonly Key[]): Promise<StoredRecord[]> {
  const { table } = session;
  const records: StoredRecord[] = [];
  const attempts = session.attempts();
  let left: Record<string, unknown>[] = [...keys];
  while (left.length > 0) {
    const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: left, ConsistentRead: true } } });
    const batch = await session.send(sentAgain, (client, options) => client.send(command, options));
    records.push(...(batch.Responses?.[table] ?? []));
    left = batch.UnprocessedKeys?.[table]?.Keys ?? [];
    if (left.length > 0) await attempts.backOff('throttled', new Error('Some records were not read'));
  }
  attempts.succeed();
  return records;
}

/**
 * Reads a few records as they were at one moment: all or none of what a transaction wrote. A query can return some of the
 * records of a transaction that is just being completed, without the others.
 * @returns in the order of the keys; undefined for a missing record
 */
export async function getTogether(session: TimedSession, keys: readonly Key[]): Promise<(StoredRecord | undefined)[]> {
  const TransactItems = keys.map((Key) => ({ Get: { TableName: session.table, Key } }));
  const command = new TransactGetCommand({ TransactItems });
  const { Responses = [] } = await session.send(sentAgain, (client, options) => client.send(command, options));
  return keys.map((_, index) => Responses[index]?.Item);
}

interface QueryPage {
  readonly records: readonly StoredRecord[];
  /** Where the next page starts; undefined on the last page. */
  readonly next: StoredRecord | undefined;
}

export async function queryPage(
  session: TimedSession,
  input: Omit<QueryCommandInput, 'TableName'>,
): Promise<QueryPage> {
  const command = new QueryCommand({ ...input, TableName: session.table });
  const page = await session.send(sentAgain, (client, options) => client.send(command, options));
  return { records: page.Items ?? [], next: page.LastEvaluatedKey };
}

/** With strongly consistent reads. @param readPage sends a query, for instance within a deadline of its own */
export async function* partitionPages(
  partition: string,
  readPage: (input: Omit<QueryCommandInput, 'TableName'>) => Promise<QueryPage>,
): AsyncGenerator<readonly StoredRecord[]> {
  const condition = expressions((use) => ({ KeyConditionExpression: equals(use, keyAttributes.partition, partition) }));
  let start: StoredRecord | undefined;
  do {
    const page = await readPage({ ...condition, ConsistentRead: true, ExclusiveStartKey: start });
    yield page.records;
    start = page.next;
  } while (start !== undefined);
}

/** A strongly consistent read of one record, with the right to query. @returns it, or nothing */
export const queryKey = async (session: TimedSession, { pk, sk }: Key): Promise<readonly StoredRecord[]> => {
  const condition = expressions((use) => ({
    KeyConditionExpression: `${equals(use, keyAttributes.partition, pk)} AND ${equals(use, keyAttributes.sort, sk)}`,
  }));
  return (await queryPage(session, { ...condition, ConsistentRead: true })).records;
};

/** A strongly consistent read of all records of a partition. */
export async function queryPartition(session: TimedSession, partition: string): Promise<StoredRecord[]> {
  const all: StoredRecord[] = [];
  for await (const records of partitionPages(partition, (input) => queryPage(session, input))) all.push(...records);
  return all;
}
