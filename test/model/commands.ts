import * as fc from 'fast-check';
import { expect } from 'vitest';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Answer, CatalogModel, ModelRequest } from './catalogModel.ts';
import { caller, createBody, updateBody } from './requests.ts';
import type { Service } from './service.ts';

/** What the commands know: the model, and the creates that had a key, to repeat them. */
export interface Known {
  readonly catalog: CatalogModel;
  readonly accounts: readonly string[];
  readonly keyed: { readonly request: ModelRequest; readonly key: string }[];
}

type Command = fc.AsyncCommand<Known, Service>;
type Caller = { account: number; user: string; seesCost: boolean; container: number };

const requestOf = ({ accounts }: Known, { account, user, seesCost }: Caller, body: JsonObject): ModelRequest => ({
  account: accounts[account] ?? '',
  user,
  seesCost,
  body,
});

const command = (text: string, run: Command['run'], check: Command['check'] = () => true): Command => ({
  check,
  run,
  toString: () => text,
});

/** Equal in all that is compared, the order of the item's members included. */
function expectSame(answer: Answer, expected: Answer): void {
  expect(answer).toEqual(expected);
  expect(Object.keys(answer.data ?? {})).toEqual(Object.keys(expected.data ?? {}));
}

/** Sends a create and compares the whole answer; a new id is the service's to choose, and nobody else's. */
async function create({ catalog }: Known, service: Service, container: number, request: ModelRequest, key?: string) {
  const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key };
  const answer = await service.ask(container, { ...request, headers });
  const id = Number(answer.data?.['id'] ?? 0);
  const isNew = answer.status === 201 && answer.replayed === false;
  if (isNew) expect([...catalog.items(request.account).keys(), 0]).not.toContain(id);
  expectSame(answer, catalog.create(request, key, service.now, id));
}

const createCommand = fc
  .record({ caller, body: createBody, key: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { freq: 2, nil: undefined }) })
  .map(({ caller, body, key }) =>
    command(`create ${JSON.stringify({ ...caller, key, body })}`, async (known, service) => {
      const request = requestOf(known, caller, body);
      if (key !== undefined) known.keyed.push({ request, key });
      await create(known, service, caller.container, request, key);
    }),
  );

/** Repeats a create under its key: as it was, in another form, with its members in another order, or with another body. */
const repeatCommand = fc
  .record({
    place: fc.nat(),
    seesCost: fc.boolean(),
    container: fc.nat(1),
    change: fc.constantFrom<(body: JsonObject) => JsonObject>(
      (body) => body,
      (body) => Object.fromEntries(Object.entries(body).reverse()),
      (body) => ({
        ...body,
        ...(typeof body['active'] === 'boolean' && { active: Number(body['active']) }),
        ...(typeof body['sku'] === 'string' && { sku: ` ${body['sku']}\t` }),
      }),
      (body) => ({ ...body, description: 'Another' }),
    ),
  })
  .map(({ place, seesCost, container, change }) =>
    command(
      `repeat ${JSON.stringify({ place, seesCost, container, change: String(change) })}`,
      async (known, service) => {
        const { request, key } = known.keyed[place % known.keyed.length] as Known['keyed'][number];
        await create(known, service, container, { ...request, seesCost, body: change(request.body) }, key);
      },
      ({ keyed }) => keyed.length > 0,
    ),
  );

/** How a client may fill in `If-Match`, knowing the item's revision; and the revisions that it allows then. */
const ifMatches: Readonly<Record<string, (revision: number) => [header: string, allowed?: readonly number[]]>> = {
  current: (revision) => [`"${revision}"`, [revision]],
  old: (revision) => [`"${revision - 1}"`, [revision - 1]],
  several: (revision) => [`"${revision + 1}", "${revision}"`, [revision, revision + 1]],
  any: () => ['*'],
  weak: (revision) => [`W/"${revision}"`, []],
};

const updateCommand = fc
  .record({
    caller,
    body: updateBody,
    // The first items are hot.
    place: fc.nat(3),
    isMissing: fc.nat(15).map((number) => number === 0),
    ifMatch: fc.option(fc.constantFrom(...Object.keys(ifMatches)), { freq: 2, nil: undefined }),
  })
  .map(({ caller, body, place, isMissing, ifMatch }) =>
    command(
      `update ${JSON.stringify({ ...caller, place, isMissing, ifMatch, body })}`,
      async (known, service) => {
        const request = requestOf(known, caller, body);
        const items = [...known.catalog.items(request.account)];
        const [id, { revision }] = items[place % items.length] as (typeof items)[number];
        const [header, allowed] = (ifMatch === undefined ? undefined : ifMatches[ifMatch]?.(revision)) ?? [];
        const headers: Record<string, string> = header === undefined ? {} : { 'if-match': header };
        const target = isMissing ? 1_000_000 : id;
        const answer = await service.ask(caller.container, { ...request, id: target, headers });
        expectSame(answer, known.catalog.update(request, target, allowed, service.now));
      },
      ({ accounts, catalog }) => catalog.items(accounts[caller.account] ?? '').size > 0,
    ),
  );

/** Longer than a process keeps an account's configuration, and longer than a key is kept. */
const waitCommand = fc.constantFrom(61, 25 * 60 * 60).map((seconds) =>
  command(`wait ${seconds} s`, async (_known, service) => {
    service.now += seconds * 1000;
  }),
);

const restartCommand = fc
  .nat(1)
  .map((container) => command(`restart ${container}`, async (_known, service) => service.restart(container)));

/** The commands of sequential runs; those that are listed twice come twice as often. */
export const commands = [
  ...[createCommand, createCommand, repeatCommand, updateCommand, updateCommand, updateCommand, updateCommand],
  ...[waitCommand, restartCommand],
];
