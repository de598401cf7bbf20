import type { FunctionName } from '../infra/constructs/functionAccess.ts';
import type { Functions } from './programs.ts';
import { functionRequest, type OperationName, operations } from './requests.ts';
import { rotated } from './statistics.ts';
import type { Cost, Request } from './turn.ts';
import { type Program, type Setting, Worker } from './worker.ts';

/** Something that does the operations. */
export interface Contender {
  readonly name: string;
  /** What does the operations of this function. */
  readonly program: (name: FunctionName) => Program;
  readonly request: (operation: OperationName, account: string) => Request;
  readonly lacks: readonly OperationName[];
}

/** The functions of a commit. */
export const deployed = (name: string, functions: Functions): Contender => ({
  name,
  program: (each) => functions[each],
  request: functionRequest,
  lacks: [],
});

/** A bundle that exports the operations as functions of a request's number. */
export const exporting = (name: string, program: Program, lacks: readonly OperationName[]): Contender => ({
  name,
  program: () => program,
  request: (operation) => ({ operation }),
  lacks,
});

/** A contender that runs: each of its bundles in a process of its own. */
export class Container {
  readonly contender: Contender;
  readonly account: string;
  readonly #setting: Setting;
  readonly #env: Program['env'];
  readonly #workers = new Map<string, Promise<Worker>>();
  #next = 1;

  /** @param env variables that override the program's */
  constructor(setting: Setting, contender: Contender, account: string, env: Program['env'] = {}) {
    this.#setting = setting;
    this.contender = contender;
    this.account = account;
    this.#env = env;
  }

  /** Runs requests one after another. Their numbers increase from one run to the next. */
  async run(operation: OperationName, count: number): Promise<Cost> {
    const { bundle, env } = this.contender.program(operations[operation].function);
    const worker = this.#workers.get(bundle) ?? Worker.open(this.#setting, { bundle, env: { ...env, ...this.#env } });
    this.#workers.set(bundle, worker);
    const from = this.#next;
    this.#next += count;
    return (await worker).run({ ...this.contender.request(operation, this.account), from, count });
  }

  async end(): Promise<void> {
    for (const worker of this.#workers.values()) (await worker).end();
  }
}

/** Lets containers take turns of so many requests, in an order that rotates. @returns the cost of each turn */
export async function takeTurns(
  containers: readonly Container[],
  operation: OperationName,
  { turns, requests }: { readonly turns: number; readonly requests: number },
): Promise<Cost[][]> {
  const costs = containers.map((): Cost[] => []);
  for (let turn = 0; turn < turns; turn += 1)
    for (const [index, container] of rotated([...containers.entries()], turn))
      costs[index]?.push(await container.run(operation, requests));
  return costs;
}
