import type { JsonObject } from '../../lib/item/json.ts';
import type { Random } from '../support/time/random.ts';
import type { ClientRequest, Operation } from './history.ts';

const codes = ['A', 'B', 'C', 'D'];
const types = ['product', 'service'];
const units = ['un', 'hour', 'kg'];
const quantities = [1.25, 2.5, 7, 0.375];

/** Maximum number of items, which is low so that they are hot. */
const maxItems = 12;

/** A request on hot items and hot identifiers. Each create has a unique name, which identifies its item. */
export function nextRequest(
  random: Random,
  accounts: readonly string[],
  operations: readonly Operation[],
): ClientRequest {
  const account = random.chance(0.85) ? (accounts[0] as string) : (accounts[1] as string);
  const name = `item-${operations.length}`;
  const created = operations.filter(
    ({ id, response, account: owner }) => id === undefined && owner === account && response?.status === 201,
  );
  const keyed = operations.filter(
    ({ key, response, account: owner }) => key && owner === account && isAnswered(response),
  );
  if (keyed.length > 0 && random.chance(0.1)) return keyAgain(random, random.pick(keyed), name);
  const items = created.filter(({ response }) => !response?.replayed);
  if (items.length === 0 || (items.length < maxItems && random.chance(0.3)))
    return createRequest(random, account, name);
  return updateRequest(random, random.pick(items), operations);
}

/** A client repeats an answered request, or uses its key for another item. */
function keyAgain(random: Random, { account, id, body, key = '' }: Operation, name: string): ClientRequest {
  const another = id === undefined ? { ...body, name } : { ...body, value: 1_001 };
  return { account, body: random.chance(0.3) ? another : body, key, ...(id !== undefined && { id }) };
}

const isAnswered = (response: Operation['response']): boolean => response?.status === 200 || response?.status === 201;

function createRequest(random: Random, account: string, name: string): ClientRequest {
  const body = {
    name,
    ...(random.chance(0.4) && { type: random.pick(types) }),
    ...someCodes(random, 0.5),
    ...(random.chance(0.5) && { unit: random.pick(units) }),
    ...someTexts(random),
  };
  return { account, body, ...(random.chance(0.6) && { key: `key-${name}` }) };
}

function updateRequest(random: Random, create: Operation, operations: readonly Operation[]): ClientRequest {
  const { account, response } = create;
  const id = Number(response?.data['id']);
  const body = {
    ...(random.chance(0.1) && { type: random.pick(types) }),
    ...(random.chance(0.4) && { value: random.below(1000) }),
    ...(random.chance(0.2) && { active: random.chance(0.5) }),
    ...someCodes(random, 0.25),
    ...(random.chance(0.3) && { qty: random.pick(quantities) }),
    ...(random.chance(0.2) && { unit: random.pick(units) }),
    ...someTexts(random),
    ...(random.chance(0.4) && { metadata: someMetadata(random) }),
  };
  const request = {
    account,
    id,
    body: Object.keys(body).length === 0 ? { value: random.below(1000) } : body,
    ...(random.chance(0.3) && { key: `key-${operations.length}` }),
  };
  const seen = operations.findLast(
    (operation) => operation.response?.data['id'] === id && operation.account === account,
  );
  const revision = seen?.response?.revision;
  return random.chance(0.15) && revision !== undefined ? { ...request, ifMatch: revision } : request;
}

const someCodes = (random: Random, likely: number): JsonObject => ({
  ...(random.chance(likely) && { sku: random.chance(0.25) ? null : random.pick(codes) }),
  ...(random.chance(likely) && { pn: random.chance(0.25) ? null : random.pick(codes) }),
});

const someTexts = (random: Random): JsonObject => ({
  ...(random.chance(0.15) && { category: random.pick([null, 1, 2]) }),
  ...(random.chance(0.15) && { description: random.pick([null, '', 'text']) }),
  ...(random.chance(0.15) && { tag: random.pick([null, '', 'text']) }),
});

const someMetadata = (random: Random): JsonObject => {
  const member = () => [`m${random.below(5)}`, random.chance(0.3) ? null : random.below(100)];
  return Object.fromEntries(Array.from({ length: 1 + random.below(2) }, member));
};
