import type { JsonObject } from '../../lib/item/json.ts';
import type { Random } from '../support/random.ts';
import type { AskedRequest, Operation } from './history.ts';

const codes = ['A', 'B', 'C', 'D'];
const units = ['un', 'hour', 'kg'];
const quantities = [1.25, 2.5, 7, 0.375];

/** At most so many items, so that they are hot. */
const maxItems = 12;

/** A request on hot items and hot codes. Each create has a name of its own, by which its item is known again. */
export function nextRequest(
  random: Random,
  accounts: readonly string[],
  operations: readonly Operation[],
): AskedRequest {
  const account = random.chance(0.85) ? (accounts[0] as string) : (accounts[1] as string);
  const items = operations.filter(
    ({ id, answer, body, account: owner }) =>
      id === undefined && owner === account && answer?.status === 201 && !answer.replayed && isOpenToAll(body),
  );
  if (items.length === 0 || (items.length < maxItems && random.chance(0.3)))
    return createRequest(random, account, `item-${operations.length}`);
  const item = random.pick(items).answer?.data;
  return updateRequest(random, account, Number(item?.['id']), operations);
}

/** The planted pair is left alone until the end. */
const isOpenToAll = ({ name }: JsonObject): boolean => name !== 'restored' && name !== 'owner';

function createRequest(random: Random, account: string, name: string): AskedRequest {
  const body = { name, ...someCodes(random, 0.5), ...(random.chance(0.5) && { unit: random.pick(units) }) };
  return { account, body, ...(random.chance(0.6) && { key: `key-${name}` }) };
}

function updateRequest(random: Random, account: string, id: number, operations: readonly Operation[]): AskedRequest {
  const body = {
    ...(random.chance(0.4) && { value: random.below(1000) }),
    ...(random.chance(0.2) && { active: random.chance(0.5) }),
    ...someCodes(random, 0.25),
    ...(random.chance(0.3) && { qty: random.pick(quantities) }),
    ...(random.chance(0.2) && { unit: random.pick(units) }),
    ...(random.chance(0.4) && { metadata: someMetadata(random) }),
  };
  const request = { account, id, body: Object.keys(body).length === 0 ? { value: random.below(1000) } : body };
  const seen = operations.findLast((operation) => operation.answer?.data['id'] === id && operation.account === account);
  const revision = seen?.answer?.revision;
  return random.chance(0.15) && revision !== undefined ? { ...request, ifMatch: revision } : request;
}

const someCodes = (random: Random, likely: number): JsonObject => ({
  ...(random.chance(likely) && { sku: random.chance(0.25) ? null : random.pick(codes) }),
  ...(random.chance(likely) && { pn: random.chance(0.25) ? null : random.pick(codes) }),
});

const someMetadata = (random: Random): JsonObject =>
  Object.fromEntries(
    Array.from({ length: 1 + random.below(2) }, () => [
      `m${random.below(5)}`,
      random.chance(0.3) ? null : random.below(100),
    ]),
  );
