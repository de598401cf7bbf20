import type * as dynamo from '@aws-sdk/lib-dynamodb';
import type { JsonObject } from '../../../../lib/item/json.ts';
import type { DocumentSender } from '../../../../lib/store/database/database.ts';
import { sdkError } from '../sdkError.ts';
import { type Bindings, conditionOf, type StoredRecord, updateOf } from './expressions.ts';

type TransactItem = NonNullable<dynamo.TransactWriteCommandInput['TransactItems']>[number];
type Command = { readonly constructor: { readonly name: string }; readonly input: unknown };

/** One write to one record: computes the new record from the old one. Undefined deletes it. */
interface Write {
  readonly key: string;
  readonly condition: Bindings & { readonly ConditionExpression?: string | undefined };
  readonly next: (old: StoredRecord | undefined) => StoredRecord | undefined;
  readonly returnsNew?: boolean;
}

const keyOf = ({ pk, sk }: StoredRecord): string => JSON.stringify([pk, sk]);

/**
 * An in-memory table for the few commands and expressions that the store sends, a hundred times as fast as an engine.
 * Random batches come to the same responses and records in both.
 */
export class MemoryTable implements DocumentSender {
  /** Records are never modified, only replaced. */
  readonly #records: Map<string, StoredRecord>;
  /** The client tokens of completed transactions. */
  readonly #done: Set<string>;

  /** @param from a table to copy; if omitted, the table is empty */
  constructor(from?: MemoryTable) {
    this.#records = new Map(from === undefined ? [] : from.#records);
    this.#done = new Set(from === undefined ? [] : from.#done);
  }

  copy = (): MemoryTable => new MemoryTable(this);

  /** Whether no record was written since one table was copied from the other. */
  equals = (other: MemoryTable): boolean =>
    this.#records.size === other.#records.size &&
    [...this.#records].every(([key, record]) => other.#records.get(key) === record);

  records = (): JsonObject[] => [...this.#records.values()] as JsonObject[];

  record = (key: StoredRecord): StoredRecord | undefined => this.#records.get(keyOf(key));

  send = (async (command: Command): Promise<object> => this.execute(command)) as DocumentSender['send'];

  /** Executes a command immediately. */
  execute({ constructor: { name }, input }: Command): object {
    switch (name) {
      case 'GetCommand':
        return this.#get(input as dynamo.GetCommandInput);
      case 'TransactGetCommand':
        return this.#transactGet(input as dynamo.TransactGetCommandInput);
      case 'BatchGetCommand':
        return this.#batchGet(input as dynamo.BatchGetCommandInput);
      case 'QueryCommand':
        return this.#query(input as dynamo.QueryCommandInput);
      case 'PutCommand':
        return this.#alone(putOf(input as dynamo.PutCommandInput));
      case 'UpdateCommand':
        return this.#alone(alteration(input as dynamo.UpdateCommandInput));
      case 'TransactWriteCommand':
        return this.#transact(input as dynamo.TransactWriteCommandInput);
      default:
        throw new Error(`The table in memory knows no ${name}`);
    }
  }

  #get({ Key = {} }: dynamo.GetCommandInput): object {
    const record = this.#records.get(keyOf(Key));
    return record === undefined ? {} : { Item: { ...record } };
  }

  #transactGet({ TransactItems = [] }: dynamo.TransactGetCommandInput): object {
    return { Responses: TransactItems.map(({ Get }) => this.#get(Get as dynamo.GetCommandInput)) };
  }

  #batchGet({ RequestItems = {} }: dynamo.BatchGetCommandInput): object {
    const read = ({ Keys = [] }: { Keys?: StoredRecord[] | undefined }) =>
      Keys.flatMap((key) => this.#records.get(keyOf(key)) ?? []);
    return { Responses: Object.fromEntries(Object.entries(RequestItems).map(([name, keys]) => [name, read(keys)])) };
  }

  /** Returns a partition, because the store queries nothing else. */
  #query({ KeyConditionExpression: condition = '', IndexName, ...bindings }: dynamo.QueryCommandInput): object {
    if (!/^#\w+ = :\w+$/.test(condition) || IndexName !== undefined)
      throw new Error('The table in memory queries whole partitions');
    const partition = this.records().filter((record) => conditionOf(condition)(record, bindings));
    return { Items: partition.sort((a, b) => (String(a['sk']) < String(b['sk']) ? -1 : 1)) };
  }

  #alone(write: Write): object {
    if (!this.#allows(write)) throw sdkError('ConditionalCheckFailedException', 400, this.#shown(write));
    const [record] = this.#apply([write]);
    return write.returnsNew ? { Attributes: { ...record } } : {};
  }

  #transact({ TransactItems = [], ClientRequestToken: token = '' }: dynamo.TransactWriteCommandInput): object {
    if (this.#done.has(token)) return {};
    const writes = TransactItems.map(partOf);
    if (new Set(writes.map(({ key }) => key)).size < writes.length)
      throw sdkError('ValidationException', 400, { message: 'Two operations on one item' });
    const CancellationReasons = writes.map((write) => this.#reason(write));
    if (CancellationReasons.some(({ Code }) => Code !== 'None'))
      throw sdkError('TransactionCanceledException', 400, { CancellationReasons });
    this.#apply(writes);
    this.#done.add(token);
    return {};
  }

  /** The reason why a part of a transaction cannot be done. */
  #reason(write: Write): { Code: string; Item?: object } {
    if (!this.#allows(write)) return { Code: 'ConditionalCheckFailed', ...this.#shown(write) };
    try {
      write.next(this.#records.get(write.key));
      return { Code: 'None' };
    } catch (error) {
      if ((error as Error).name !== 'ValidationException') throw error;
      return { Code: 'ValidationError' };
    }
  }

  #allows({ key, condition }: Write): boolean {
    const { ConditionExpression } = condition;
    if (ConditionExpression === undefined) return true;
    return conditionOf(ConditionExpression)(this.#records.get(key) ?? {}, condition);
  }

  #shown({ key, condition }: Write): { Item?: object } {
    const isRequested = (condition as dynamo.UpdateCommandInput).ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
    const record = this.#records.get(key);
    return isRequested && record !== undefined ? { Item: record } : {};
  }

  /** Does all of the writes, or none if one of them throws. */
  #apply(writes: readonly Write[]): (StoredRecord | undefined)[] {
    const records = writes.map(({ key, next }) => next(this.#records.get(key)));
    for (const [index, { key }] of writes.entries()) {
      const record = records[index];
      if (record === undefined) this.#records.delete(key);
      else this.#records.set(key, record);
    }
    return records;
  }
}

function putOf(input: dynamo.PutCommandInput): Write {
  const { Item = {} } = input;
  return { key: keyOf(Item), condition: input, next: () => ({ ...Item }) };
}

function alteration(
  input: Pick<dynamo.UpdateCommandInput, 'Key' | 'UpdateExpression' | 'ReturnValues'> & Bindings,
): Write {
  const { Key = {}, UpdateExpression = '', ReturnValues } = input;
  const next = updateOf(UpdateExpression);
  return {
    key: keyOf(Key),
    condition: input,
    next: (old) => next(old ?? { ...Key }, input),
    returnsNew: ReturnValues === 'ALL_NEW',
  };
}

function partOf({ Put, Update, Delete, ConditionCheck }: TransactItem): Write {
  if (Put) return putOf(Put);
  if (Update) return alteration(Update);
  if (Delete) return { key: keyOf(Delete.Key ?? {}), condition: Delete, next: () => undefined };
  if (ConditionCheck) return { key: keyOf(ConditionCheck.Key ?? {}), condition: ConditionCheck, next: (old) => old };
  throw new Error('The table in memory knows no such part of a transaction');
}
