import * as fc from 'fast-check';
import type { JsonObject } from '../../lib/item/json.ts';
import type { AskedRequest, Operation } from '../faults/history.ts';
import type { ScheduledRequests } from './scheduledRequests.ts';
import { processes } from './scheduledRequests.ts';

/** What was asked so far, and how it was answered. */
interface Told {
  readonly accounts: readonly string[];
  readonly operations: readonly Operation[];
}

type Command = fc.AsyncCommand<Told, ScheduledRequests>;

const code = fc.constantFrom('A', 'B', 'C', null);
const metadata = fc.dictionary(fc.constantFrom('m0', 'm1', 'm2'), fc.option(fc.nat(99)), {
  minKeys: 1,
  maxKeys: 2,
  noNullPrototype: true,
});

/** The fields and values that the model of the histories knows. */
const body: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    {
      value: fc.nat(999),
      active: fc.boolean(),
      sku: code,
      pn: code,
      unit: fc.constantFrom('un', 'hour', 'kg'),
      metadata,
    },
    { requiredKeys: [], noNullPrototype: true },
  ),
  fc.record({ sku: code, pn: code }),
  fc.record({ metadata }),
  fc.record({ qty: fc.constantFrom(1.25, 2.5, 7, 0.375) }),
  fc.record({ unit: fc.constantFrom('un', 'hour', 'kg') }),
);

const process = fc.nat(processes - 1);
const account = fc.constantFrom(0, 0, 0, 1);

const command = (text: string, process: number, next: (told: Told) => AskedRequest | undefined): Command => ({
  check: (told) => next(told) !== undefined,
  run: async (told, requests) => {
    const request = next(told);
    if (request !== undefined) requests.start(process, request);
  },
  toString: () => text,
});

/** Each create has a name of its own, by which its item is known again. */
const create = fc.record({ process, account, body, keyed: fc.boolean() }).map(({ process, account, body, keyed }) =>
  command(`create ${JSON.stringify({ process, account, keyed, body })}`, process, ({ accounts, operations }) => {
    const name = `item-${operations.length}`;
    const request = { account: accounts[account] ?? '', body: { ...body, name } };
    return keyed ? { ...request, key: `key-${name}` } : request;
  }),
);

/** Asks again what was asked under a key, whether or not it is answered yet. */
const repeat = fc.record({ process, place: fc.nat(1) }).map(({ process, place }) =>
  command(`repeat ${JSON.stringify({ process, place })}`, process, ({ operations }) => {
    const earlier = operations.filter(({ key }) => key !== undefined).at(-1 - place);
    return earlier && { account: earlier.account, body: earlier.body, key: earlier.key ?? '' };
  }),
);

/** Updates one of the first items, at the revision that was answered last or before. */
const update = fc
  .record({ process, account, body, place: fc.nat(1), ifMatch: fc.constantFrom(undefined, undefined, -1, -2) })
  .map(({ process, account, body, place, ifMatch }) =>
    command(`update ${JSON.stringify({ process, account, place, ifMatch, body })}`, process, (told) => {
      const inAccount = told.operations.filter((operation) => operation.account === told.accounts[account]);
      const created = inAccount.filter(({ id, answer }) => id === undefined && answer?.status === 201);
      const ids = [...new Set(created.map(({ answer }) => Number(answer?.data['id'])))];
      const id = ids[place % ids.length];
      const answers = inAccount.flatMap(({ answer }) => (answer?.data['id'] === id && answer ? [answer] : []));
      const revision = ifMatch === undefined ? undefined : answers.at(ifMatch)?.revision;
      if (id === undefined || Object.keys(body).length === 0) return undefined;
      const request = { account: told.accounts[account] ?? '', id, body };
      return revision === undefined ? request : { ...request, ifMatch: revision };
    }),
  );

/** The commands of interleaved runs. */
export const commands = [create, repeat, update, update, update, update];
