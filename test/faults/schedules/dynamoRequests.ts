import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { sdkError } from '../../support/standIns/sdkError.ts';
import { type Command, stillUnderWay } from '../failures.ts';

/** The outcome of a request to DynamoDB: it is answered, or has a fault. */
export const dynamoOutcomes = ['answered', 'lost', 'garbled', 'conflict', 'dead'] as const;
export type DynamoOutcome = (typeof dynamoOutcomes)[number];

/** A request in flight to the table, and who waits for its response. */
export interface DynamoRequest {
  readonly process: string;
  readonly command: Command;
  readonly outcome: DynamoOutcome;
  readonly sentAt: number;
  readonly resolve: (output: object) => void;
  readonly reject: (error: unknown) => void;
}

/** A request to DynamoDB whose process no longer waits for the response. */
export interface Abandoned {
  readonly process: string;
  readonly command: Command;
  /** Called when the request arrives twice. */
  readonly doubled: () => void;
}

/** Callbacks for what happens to a process. */
export interface Listener {
  /** The process dies at a call, whose response then never comes. */
  readonly die: () => void;
  /** One of its requests to DynamoDB arrives twice. */
  readonly doubled: () => void;
  /** It learns that its write was done. */
  readonly confirmed: () => void;
  /** It reads the item that it answers. */
  readonly read: () => void;
}

/** Constant in all schedules of a setting. */
export interface Setting {
  readonly name: string;
  /** How far the clocks of the two processes are ahead of the simulated one, in milliseconds. */
  readonly ahead: readonly [number, number];
  /** How long a process waits for a response that does not come, in milliseconds. */
  readonly responseTimeout: number;
}

/** Reads the account and leases ids in one step, because no other request can tell when that happened. */
export const isPreparation = ({ constructor: { name }, input }: Command): boolean =>
  name === 'QueryCommand' || (name === 'UpdateCommand' && JSON.stringify(input).includes('#COUNTER'));

export const nameOf = ({ constructor: { name }, input }: Command): string => {
  const { UpdateExpression = '' } = input as { UpdateExpression?: string };
  return name === 'UpdateCommand' && !UpdateExpression.includes('+')
    ? 'fence'
    : name.replace('Command', '').toLowerCase();
};

/**
 * Another transaction is in progress on the item. If it is seen half-done, so are its guards, which it may still free.
 */
export const conflict = (command: Command): Error =>
  command instanceof TransactWriteCommand ? stillUnderWay(command) : sdkError('TransactionConflictException', 400);
