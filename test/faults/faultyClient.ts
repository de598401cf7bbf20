import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Random } from '../support/random.ts';
import { sdkError } from '../support/sdkError.ts';
import type { Simulation } from './simulation.ts';

export type Client = Pick<DynamoDBDocumentClient, 'send'>;
type Command = { readonly constructor: { readonly name: string }; readonly input: unknown };

/** How likely each fault is at a call. */
export interface Faults {
  readonly throttled: number;
  readonly conflict: number;
  readonly lostBefore: number;
  readonly lostAfter: number;
  readonly deathBefore: number;
  readonly deathAfter: number;
}

export const usualFaults: Faults = {
  throttled: 0.03,
  conflict: 0.05,
  lostBefore: 0.03,
  lostAfter: 0.04,
  deathBefore: 0.01,
  deathAfter: 0.01,
};

export type Fault = keyof Faults;

interface FaultyOptions {
  readonly client: Client;
  readonly simulation: Simulation;
  readonly random: Random;
  /** Which fault, if any, the next call meets. */
  readonly next: (command: Command) => Fault | undefined;
  /** Called when the process dies at a call; what it waits for then never comes. */
  readonly die: () => void;
}

/** Draws faults by their likelihood. */
export function drawFault(faults: Faults, random: Random): Fault | undefined {
  let drawn = random.next();
  for (const [fault, likelihood] of Object.entries(faults)) {
    drawn -= likelihood;
    if (drawn < 0) return fault as Fault;
  }
  return undefined;
}

/** Longer than the store waits for an answer, in milliseconds. */
const timeout = 1_000;

/**
 * The SDK's client as a process meets it on a bad day: delays, throttling, conflicts, messages lost on the way there or
 * back, and its own death. The transactions that have taken effect are remembered, as DynamoDB does by their token.
 */
export function faultyClient({ client, simulation, random, next, die }: FaultyOptions): Client {
  const landed = new Set<string>();
  const delay = () => random.next() * 3;

  const deliver = async (command: Command): Promise<unknown> => {
    const output = await Reflect.apply(client.send, client, [command]);
    if (command instanceof TransactWriteCommand) landed.add(command.input.ClientRequestToken ?? '');
    return output;
  };

  /** The message reaches the database, and its answer the process, some time later. */
  const exchange = (command: Command): Promise<unknown> =>
    new Promise((resolve, reject) => {
      simulation.after(delay(), async () => {
        const answer = await deliver(command).then(
          (output) => () => resolve(output),
          (error: unknown) => () => reject(error),
        );
        simulation.after(delay(), answer);
      });
    });

  const later = (milliseconds: number, error: Error): Promise<never> =>
    new Promise((_, reject) => simulation.after(milliseconds, () => reject(error)));

  /** How a process learns that no answer comes. Until then the message may still be under way. */
  const loss = (error: Error) => ({ wait: /Timeout|Abort/.test(error.name) ? timeout : 4 + delay(), error });

  const send = async (command: Command): Promise<unknown> => {
    if (command instanceof TransactWriteCommand && landed.has(command.input.ClientRequestToken ?? ''))
      if (random.chance(0.5)) return later(delay(), stillUnderWay(command));
    const fault = next(command);
    switch (fault) {
      case undefined:
        return exchange(command);
      case 'throttled':
        return later(delay(), sdkError('ThrottlingException', 400));
      case 'conflict':
        return isRead(command) ? exchange(command) : later(delay(), conflictOf(command, random));
      case 'lostBefore': {
        const { wait, error } = loss(random.pick(losses)());
        return later(wait, error);
      }
      case 'lostAfter': {
        const { wait, error } = loss(random.pick([...losses, cutOff])());
        simulation.after(random.next() * wait, () => deliver(command).then(noop, noop));
        return later(wait, error);
      }
      case 'deathBefore':
        die();
        return new Promise(noop);
      case 'deathAfter':
        simulation.after(delay(), () => deliver(command).then(noop, noop));
        die();
        return new Promise(noop);
    }
  };
  return { send: send as Client['send'] };
}

const isRead = (command: Command): boolean => /^(Get|Query)/.test(command.constructor.name);

const noop = (): void => undefined;

const losses: readonly (() => Error)[] = [
  () => sdkError('TimeoutError', undefined),
  () => sdkError('AbortError', undefined),
  () => Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
  () => sdkError('InternalServerError', 500),
];

/** The answer began, and so what it answers was done, but its end did not come. */
const cutOff = () => sdkError('SyntaxError', 200);

/** Another transaction is under way on a record that this command writes. It may be seen half-way, and may yet be rolled back. */
function conflictOf(command: Command, random: Random): Error {
  if (!(command instanceof TransactWriteCommand)) return sdkError('TransactionConflictException', 400);
  const count = command.input.TransactItems?.length ?? 0;
  const conflicting = random.below(count);
  const isHalfWay = random.chance(0.5);
  const reasons = (command.input.TransactItems ?? []).map(({ Put }, index) => {
    if (index === conflicting) return { Code: 'TransactionConflict' };
    return { Code: isHalfWay && Put?.Item?.['sk'] === 'GUARD' ? 'ConditionalCheckFailed' : 'None' };
  });
  return sdkError('TransactionCanceledException', 400, { CancellationReasons: reasons });
}

/**
 * A transaction whose first sending has not settled: what is reported beside the conflict was seen half-way, its own
 * guards as another's among it.
 */
function stillUnderWay({ input }: TransactWriteCommand): Error {
  const reasons = (input.TransactItems ?? []).map(({ Put }, index) => {
    if (index === 0) return { Code: 'TransactionConflict' };
    return { Code: Put?.Item?.['sk'] === 'GUARD' ? 'ConditionalCheckFailed' : 'None' };
  });
  return sdkError('TransactionCanceledException', 400, { CancellationReasons: reasons });
}
