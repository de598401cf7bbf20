import { setImmediate } from 'node:timers/promises';
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { DocumentSender } from '../../../lib/store/database/database.ts';
import type { Clock } from '../../../lib/store/database/retryPolicy.ts';
import type { MemoryTable } from '../../support/standIns/memoryTable/memoryTable.ts';
import { sdkError } from '../../support/standIns/sdkError.ts';
import { type Command, isRead, isRequestWrite, stillUnderWay } from '../failures.ts';
import type { Choices } from './choices.ts';

/** The outcome of a request to DynamoDB: it is answered, or has a fault. */
const dynamoOutcomes = ['answered', 'lost', 'garbled', 'conflict', 'dead'] as const;
type DynamoOutcome = (typeof dynamoOutcomes)[number];

/** A request in flight to the table, and who waits for its response. */
interface DynamoRequest {
  readonly process: string;
  readonly command: Command;
  readonly outcome: DynamoOutcome;
  readonly sentAt: number;
  readonly resolve: (output: object) => void;
  readonly reject: (error: unknown) => void;
}

/** A request to DynamoDB whose process no longer waits for the response. */
interface Abandoned {
  readonly process: string;
  readonly command: Command;
  /** Called when the request arrives twice. */
  readonly doubled: () => void;
}

/** Callbacks for what happens to a process. */
interface Listener {
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
const isPreparation = ({ constructor: { name }, input }: Command): boolean =>
  name === 'QueryCommand' || (name === 'UpdateCommand' && JSON.stringify(input).includes('#COUNTER'));

const nameOf = ({ constructor: { name }, input }: Command): string => {
  const { UpdateExpression = '' } = input as { UpdateExpression?: string };
  return name === 'UpdateCommand' && !UpdateExpression.includes('+')
    ? 'fence'
    : name.replace('Command', '').toLowerCase();
};

/**
 * Another transaction is in progress on the item. If it is seen half-done, so are its guards, which it may still free.
 */
const conflict = (command: Command): Error =>
  command instanceof TransactWriteCommand ? stillUnderWay(command) : sdkError('TransactionConflictException', 400);

/** Longer than the time after which a request to DynamoDB is abandoned, in milliseconds. */
const exchange = 1_000;

/** Longer than every time limit of the service, in milliseconds. */
const jump = 60_000;

const startOfTime = Date.UTC(2030, 0, 1);

/**
 * Processes with a table, one event at a time. Which request to DynamoDB arrives next, and what goes wrong, is a choice. A wait
 * ends when no request to DynamoDB is in flight that would have to arrive before.
 */
export class Scheduler {
  readonly table: MemoryTable;
  /** What happened, as text. */
  readonly trace: string[] = [];
  readonly #choices: Choices;
  readonly #setting: Setting;
  readonly #underWay: DynamoRequest[] = [];
  /** Requests to DynamoDB whose process no longer waits, and which may still arrive. */
  readonly #abandoned: Abandoned[] = [];
  readonly #waits: { readonly due: number; readonly end: () => void }[] = [];
  readonly #withPreparation: boolean;
  #faultsLeft: number;
  #mayJump = true;
  #now = startOfTime;

  /**
   * @param faults maximum number
   * @param withPreparation whether what prepares a request can have a fault
   */
  constructor(
    table: MemoryTable,
    choices: Choices,
    setting: Setting,
    { faults, withPreparation }: { readonly faults: number; readonly withPreparation: boolean },
  ) {
    this.table = table;
    this.#choices = choices;
    this.#setting = setting;
    this.#faultsLeft = faults;
    this.#withPreparation = withPreparation;
  }

  clock = (ahead: number): Clock => ({
    now: () => Math.floor(this.#now) + ahead,
    random: () => 0.5,
    sleep: (milliseconds) => new Promise((end) => this.#waits.push({ due: this.#now + milliseconds, end })),
  });

  client(process: string, { die, doubled, confirmed, read }: Listener): DocumentSender {
    let isDead = false;
    const never = new Promise<never>(() => undefined);
    const send = async (command: Command): Promise<object> => {
      if (isDead) return never;
      if (!this.#withPreparation && isPreparation(command)) return this.table.execute(command);
      const outcome = this.#outcomeOf(command);
      if (outcome !== 'answered') this.trace.push(`${process} ${nameOf(command)}: ${outcome}`);
      if (outcome === 'lost' || outcome === 'dead') this.#abandoned.push({ process, command, doubled });
      if (outcome === 'dead') {
        isDead = true;
        die();
        return never;
      }
      if (outcome === 'lost') return this.#loss();
      const { promise, resolve, reject } = Promise.withResolvers<object>();
      this.#underWay.push({ process, command, outcome, sentAt: this.#now, resolve, reject });
      const output = await promise;
      // Its other calls are under way when it dies.
      if (isDead) return never;
      if (isRequestWrite(command)) confirmed();
      if (isRead(command)) read();
      return output;
    };
    return { send: send as DocumentSender['send'] };
  }

  /**
   * Runs everything, in the chosen order.
   * @param starts returns functions that each start a client's request, of those that may be started
   * @param arrived called after each arrival of a request to DynamoDB
   */
  async run(starts: () => readonly (() => void)[], arrived: () => void): Promise<void> {
    for (await setImmediate(); this.#endWait() || this.#move(starts(), arrived); await setImmediate());
  }

  #outcomeOf(command: Command): DynamoOutcome {
    if (this.#faultsLeft === 0) return 'answered';
    const possible = isRead(command) ? dynamoOutcomes.filter((outcome) => outcome !== 'conflict') : dynamoOutcomes;
    const outcome = possible[this.#choices.pick(possible.length)] ?? 'answered';
    if (outcome !== 'answered') this.#faultsLeft -= 1;
    return outcome;
  }

  async #loss(): Promise<never> {
    const { responseTimeout } = this.#setting;
    if (responseTimeout === 0) throw sdkError('InternalServerError', 500);
    await this.clock(0).sleep(responseTimeout);
    throw sdkError('TimeoutError', undefined);
  }

  /** Ends the wait that is due first, unless a request to DynamoDB must arrive before. */
  #endWait(): boolean {
    const [first] = this.#waits.toSorted((a, b) => a.due - b.due);
    if (first === undefined || this.#underWay.some(({ sentAt }) => sentAt + exchange < first.due)) return false;
    this.#waits.splice(this.#waits.indexOf(first), 1);
    this.#now = Math.max(this.#now, first.due);
    first.end();
    return true;
  }

  /** Starts a client's request or lets a request to DynamoDB arrive. @returns whether there was anything to do */
  #move(starts: readonly (() => void)[], arrived: () => void): boolean {
    // If a request to DynamoDB that nobody waits for has no effect, its arrival need not be explored.
    const late = this.#abandoned.filter(({ command }) => this.#hasEffect(command));
    const moves = [
      ...this.#underWay.map((request) => () => this.#answer(request)),
      ...starts,
      ...late.map((abandoned) => () => this.#apply(abandoned)),
      ...(late.length > 0 && this.#mayJump ? [() => this.#jump()] : []),
    ];
    const mayEnd = this.#underWay.length + starts.length === 0;
    const chosen = this.#choices.pick(moves.length + (mayEnd ? 1 : 0)) - (mayEnd ? 1 : 0);
    moves[chosen]?.();
    arrived();
    return chosen >= 0;
  }

  /** Lets much time pass, once, while an abandoned request to DynamoDB is in flight. */
  #jump(): void {
    this.#mayJump = false;
    this.#now += jump;
    this.trace.push('time passes');
  }

  #hasEffect(command: Command): boolean {
    const copy = this.table.copy();
    try {
      copy.execute(command);
    } catch {
      return false;
    }
    return !copy.equals(this.table);
  }

  #apply(abandoned: Abandoned): void {
    const { process, command, doubled } = abandoned;
    this.#now += 1;
    this.trace.push(`${process} ${nameOf(command)} arrives after all`);
    this.table.execute(command);
    this.#abandoned.splice(this.#abandoned.indexOf(abandoned), 1);
    if (this.#faultsLeft === 0 || this.#choices.pick(2) === 0) return;
    this.#faultsLeft -= 1;
    doubled();
    this.#abandoned.push(abandoned);
  }

  #answer(request: DynamoRequest): void {
    const { process, command, outcome, resolve, reject } = request;
    this.#now += 1;
    this.#underWay.splice(this.#underWay.indexOf(request), 1);
    if (outcome === 'conflict') reject(conflict(command));
    else
      try {
        const output = this.table.execute(command);
        this.trace.push(`${process} ${nameOf(command)} done`);
        if (outcome === 'garbled') reject(sdkError('SyntaxError', 200));
        else resolve(output);
      } catch (error) {
        this.trace.push(`${process} ${nameOf(command)} refused`);
        reject(outcome === 'garbled' ? sdkError('SyntaxError', 400) : error);
      }
  }
}
