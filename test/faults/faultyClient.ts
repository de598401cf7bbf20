import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../lib/store/database/database.ts';
import { sdkError } from '../support/standIns/sdkError.ts';
import type { Random } from '../support/time/random.ts';
import type { Simulation } from '../support/time/simulation.ts';
import { type Command, conflictOf, garbled, isRead, losses, stillUnderWay } from './failures.ts';

/** The probability of each fault at a call. */
const likelihoods = {
  throttled: 0.03,
  conflict: 0.05,
  /** The request to DynamoDB never arrives. */
  lostBefore: 0.02,
  /** It arrives in time, but its response does not come, or comes as a failure. */
  lostAfter: 0.03,
  /** It arrives when nobody waits for its response any more, possibly after the request was answered. */
  late: 0.02,
  /** It arrives in time and again later. Its response does not come. */
  twice: 0.01,
  /** Its response cannot be read. */
  garbled: 0.02,
  deathBefore: 0.01,
  deathAfter: 0.01,
};

type Fault = keyof typeof likelihoods;

function drawFault(random: Random): Fault | undefined {
  let drawn = random.next();
  for (const [fault, likelihood] of Object.entries(likelihoods)) {
    drawn -= likelihood;
    if (drawn < 0) return fault as Fault;
  }
  return undefined;
}

interface FaultyOptions {
  readonly client: DocumentSender;
  readonly simulation: Simulation;
  readonly random: Random;
  /** Called when the process dies at a call, whose response then never comes. */
  readonly die: () => void;
}

/** Longer than the store waits for a response, in milliseconds. */
const timeout = 1_000;
/** The longest time for which an abandoned request is in flight, in milliseconds. */
export const longest = 5_000;

/**
 * The SDK's client with faults: delays, throttling, conflicts, requests that are lost, late or delivered twice,
 * responses that cannot be read, and the death of the process. Completed transactions are remembered by their token, as
 * DynamoDB does.
 */
export function faultyClient({ client, simulation, random, die }: FaultyOptions): DocumentSender {
  const completed = new Set<string>();
  let isDead = false;
  /** The other requests of the process are under way, but it sends none any more and gets no response. */
  const end = (): Promise<never> => {
    isDead = true;
    die();
    return new Promise(noop);
  };
  const delay = () => random.next() * 3;

  const deliver = async (command: Command): Promise<unknown> => {
    const output = await Reflect.apply(client.send, client, [command]);
    if (command instanceof TransactWriteCommand) completed.add(command.input.ClientRequestToken ?? '');
    return output;
  };
  /** The request arrives after a number of milliseconds, and nobody gets its response. */
  const arrive = (command: Command, milliseconds: number): void =>
    simulation.after(milliseconds, () => deliver(command).then(noop, noop));

  /** After some time, the request reaches the database, and its response the process. */
  const exchange = (command: Command): Promise<unknown> =>
    new Promise((resolve, reject) => {
      simulation.after(delay(), async () => {
        const response = await deliver(command).then(
          (output) => () => resolve(output),
          (error: unknown) => () => reject(error),
        );
        simulation.after(delay(), response);
      });
    });

  const later = (milliseconds: number, error: Error): Promise<never> =>
    new Promise((_, reject) => simulation.after(milliseconds, () => reject(error)));

  /** The error of a process that gets no response, and after how many milliseconds. */
  const loss = () => {
    const error = random.pick(losses)();
    return { wait: /Timeout|Abort/.test(error.name) ? timeout : 4 + delay(), error };
  };

  const meet = async (command: Command, fault: Fault | undefined): Promise<unknown> => {
    switch (fault) {
      case undefined:
        return exchange(command);
      case 'throttled':
        return later(delay(), sdkError('ThrottlingException', 400));
      case 'conflict':
        return isRead(command) ? exchange(command) : later(delay(), conflictOf(command, random));
      case 'garbled':
        return exchange(command).then(
          () => Promise.reject(garbled(200, random)),
          () => Promise.reject(garbled(400, random)),
        );
      case 'deathBefore':
        return end();
      case 'deathAfter':
        arrive(command, random.chance(0.5) ? delay() : random.next() * longest);
        return end();
    }
    const { wait, error } = loss();
    if (fault === 'lostAfter' || fault === 'twice') arrive(command, random.next() * wait);
    if (fault === 'late' || fault === 'twice') arrive(command, wait + random.next() * longest);
    return later(wait, error);
  };

  const send = async (command: Command): Promise<unknown> => {
    if (isDead) return new Promise(noop);
    if (command instanceof TransactWriteCommand && completed.has(command.input.ClientRequestToken ?? ''))
      if (random.chance(0.5)) return later(delay(), stillUnderWay(command));
    const output = await meet(command, drawFault(random));
    return isDead ? new Promise(noop) : output;
  };
  return { send: send as DocumentSender['send'] };
}

const noop = (): void => undefined;
