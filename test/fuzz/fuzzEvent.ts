import type { Caller } from '../../lib/access/caller.ts';
import { toAuthorizerContext } from '../../lib/access/caller.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Random } from '../support/random.ts';
import { fuzzBody } from './fuzzBody.ts';
import { fuzzHeaders } from './fuzzHeaders.ts';
import { hostileText } from './hostileJson.ts';

/** Which handler gets an event, and the event: anything that JSON can express, mostly like one of API Gateway. */
export interface FuzzRequest {
  readonly operation: 'createItem' | 'updateItem';
  readonly event: unknown;
}

/** What is there to aim at. */
export interface Scene {
  /** Of open accounts, with the permission to edit. */
  readonly callers: readonly Caller[];
  /** Of items that are there, the first being the one that is changed most. */
  readonly ids: readonly number[];
}

type Parts = Record<string, unknown>;

const strangeIds = [
  ...['0', '-1', '1.5', '1e3', '01', '+1', ' 1', '1 ', '', 'abc', '١', '0x1', '__proto__', '%00', '1/2', '１'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '99999999999999999999', '9'.repeat(5_000)],
];

function pathParameters(random: Random, { ids }: Scene): unknown {
  const id = ids[random.chance(0.25) ? 0 : random.below(ids.length)] ?? 1;
  if (random.chance(0.9)) return { id: String(id) };
  if (random.chance(0.8)) return { id: random.chance(0.5) ? random.pick(strangeIds) : hostileText(random) };
  return random.pick([null, {}, { ID: String(id) }, { id }, { id: [String(id)] }, { id: null }, [String(id)]]);
}

/** The gateway passes JSON on in base64; here also as text, and as no base64 at all. */
function encoded(random: Random, text: string): Parts {
  const bytes = Buffer.from(text);
  if (random.chance(0.02)) bytes[random.below(bytes.length)] = random.below(256);
  const base64 = bytes.toString('base64');
  if (random.chance(0.85)) return { body: base64, isBase64Encoded: true };
  if (random.chance(0.6)) return { body: text, isBase64Encoded: false };
  const at = random.below(base64.length + 1);
  const broken = random.pick([
    base64.slice(0, at),
    base64.slice(0, at) + random.pick(['\n', ' ', '-', '_', '=', '!', '\0', 'é']) + base64.slice(at),
    base64.replace(/=+$/, ''),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    text,
  ]);
  return { body: broken, isBase64Encoded: random.pick([true, true, false, 'true', null]) };
}

function body(random: Random, operation: FuzzRequest['operation']): Parts {
  if (random.chance(0.01))
    return { body: random.pick([null, '', 5, true, [], {}]), isBase64Encoded: random.chance(0.5) };
  // Just within and just beyond the size that is let in.
  const padding = random.chance(0.003) ? ' '.repeat(limits.body - random.below(3_000)) : '';
  return encoded(random, padding + fuzzBody(random, operation === 'createItem'));
}

/** What the gateway's authorizer has said of the caller, or cannot have said. */
function authorizer(random: Random, { callers }: Scene): unknown {
  const caller = random.pick(callers);
  const context: Parts = { ...toAuthorizerContext(caller), principalId: caller.user };
  if (random.chance(0.96)) return context;
  const strange = [
    null,
    '',
    0,
    -1,
    true,
    'catalog:edit',
    'catalog:edit catalog:edit',
    'CATALOG:EDIT',
    'catalog',
    'NaN',
  ];
  const name = random.pick(['account', 'user', 'permissions', 'expiresAt']);
  // The gateway carries UTF-8.
  const value = random.chance(0.3) ? hostileText(random).slice(0, 200).toWellFormed() : random.pick(strange);
  return random.pick<unknown>([
    { ...context, [name]: value },
    { ...context, [name]: value },
    { ...context, [name]: undefined },
    {
      ...context,
      permissions: random.pick(['', 'catalog:cost:read', 'xcatalog:edit', 'catalog:edit,catalog:cost:read']),
    },
    { ...context, account: 'nobody' },
    { ...context, expiresAt: '1700000000' },
    { claims: context },
    null,
    undefined,
  ]);
}

/** An event of which one part is missing or of another type. */
function damaged(random: Random, event: Parts): unknown {
  const part = random.pick(Object.keys(event));
  if (random.chance(0.1)) return random.pick<unknown>([null, [], {}, 'event', 5, { body: event['body'] }]);
  return { ...event, [part]: random.pick<unknown>([undefined, null, '', 0, true, [], {}, ['x'], { x: null }]) };
}

/** One event for one of the handlers. The same state of `random` and scene give the same. */
export function fuzzRequest(random: Random, scene: Scene): FuzzRequest {
  const operation = random.chance(0.5) ? 'createItem' : 'updateItem';
  const event = {
    ...fuzzHeaders(random),
    ...body(random, operation),
    httpMethod: operation === 'createItem' ? 'POST' : 'PUT',
    queryStringParameters: random.chance(0.05) ? { [hostileText(random)]: hostileText(random) } : null,
    pathParameters: operation === 'createItem' ? null : pathParameters(random, scene),
    requestContext: { requestId: `request-${random.below(10 ** 6)}`, authorizer: authorizer(random, scene) },
  };
  return { operation, event: random.chance(0.01) ? damaged(random, event) : event };
}
