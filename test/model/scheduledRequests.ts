import type * as fc from 'fast-check';
import type { AskedRequest, Operation } from '../faults/history.ts';
import type { Variant } from '../faults/process.ts';
import type { TestTable } from '../support/testTable.ts';
import type { Answer } from './catalogModel.ts';
import { scheduledClient } from './scheduledClient.ts';
import { Service } from './service.ts';

/** Processes that serve the requests. */
export const processes = 3;

/** Requests that are under way at the same time, each as its client sees it. */
export class ScheduledRequests {
  readonly operations: Operation[] = [];
  readonly #service: Service;
  readonly #pending: Promise<void>[] = [];
  #clock = 0;

  /** @param variant left out: the store as it is */
  constructor({ client, table }: TestTable, scheduler: fc.Scheduler, variant?: Variant) {
    const sleep = () => scheduler.schedule(Promise.resolve(), 'wait');
    this.#service = new Service({ table, client: scheduledClient(client, scheduler), processes, sleep, variant });
  }

  /** Starts a request in one of the processes, and does not wait for its answer. */
  start(process: number, request: AskedRequest): void {
    const operation: Operation = { ...request, began: this.#clock++, ended: Number.POSITIVE_INFINITY };
    this.operations.push(operation);
    this.#pending.push(this.#perform(process, operation));
  }

  /** Rejects when a request has thrown. */
  async ended(): Promise<void> {
    await Promise.all(this.#pending);
  }

  async #perform(process: number, operation: Operation): Promise<void> {
    const { account, body, id, ifMatch, key } = operation;
    const headers = {
      ...(ifMatch !== undefined && { 'if-match': `"${ifMatch}"` }),
      ...(key !== undefined && { 'idempotency-key': key }),
    };
    const asked = { account, user: 'ann', seesCost: true, body, headers, ...(id !== undefined && { id }) };
    operation.answer = asTold(await this.#service.ask(process, asked));
    operation.ended = this.#clock++;
  }
}

const asTold = ({
  status,
  code,
  data = {},
  etag = '',
  replayed = false,
}: Answer): NonNullable<Operation['answer']> => ({
  status,
  code,
  data,
  revision: Number(etag.replaceAll('"', '')),
  replayed,
});
