import type { Caller } from '../../lib/access/caller.ts';
import { toAuthorizerContext } from '../../lib/access/caller.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Random } from '../support/random.ts';
import { fuzzBody } from './fuzzBody.ts';
import { fuzzHeaders } from './fuzzHeaders.ts';
import { hostileText } from './hostileJson.ts';

/** An event for one of the handlers: any JSON, but mostly what API Gateway would send. */
export interface FuzzRequest {
  readonly operation: 'createItem' | 'updateItem';
  readonly event: unknown;
}

/** What the events can refer to. */
export interface Fixtures {
  /** Callers of open accounts, all with the permission to edit. */
  readonly callers: readonly Caller[];
  /** Ids of existing items; the first is chosen most often. */
  readonly ids: readonly number[];
}

type Parts = Record<string, unknown>;

const strangeIds = [
  ...['0', '-1', '1.5', '1e3', '01', '+1', ' 1', '1 ', '', 'abc', '١', '0x1', '__proto__', '%00', '1/2', '１'],
  ...['9007199254740991', '9007199254740992', '9007199254740993', '99999999999999999999', '9'.repeat(5_000)],
];

function pathParameters(random: Random, { ids }: Fixtures): unknown {
  const id = ids[random.chance(0.25) ? 0 : random.below(ids.length)] ?? 1;
  if (random.chance(0.9)) return { id: String(id) };
  if (random.chance(0.8)) return { id: random.chance(0.5) ? random.pick(strangeIds) : hostileText(random) };
  return random.pick([null, {}, { ID: String(id) }, { id }, { id: [String(id)] }, { id: null }, [String(id)]]);
}

/** API Gateway sends JSON in base64; here it is also sent as text and as malformed base64. */
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
  // Just below and just above the size limit.
  const padding = random.chance(0.003) ? ' '.repeat(limits.body - random.below(3_000)) : '';
  return encoded(random, padding + fuzzBody(random, operation === 'createItem'));
}

/** What the authorizer says about the caller, and what it never would. */
function authorizer(random: Random, { callers }: Fixtures): unknown {
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
  // API Gateway passes on UTF-8 only.
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

/** An event with one part missing or of another type. */
function damaged(random: Random, event: Parts): unknown {
  const part = random.pick(Object.keys(event));
  if (random.chance(0.1)) return random.pick<unknown>([null, [], {}, 'event', 5, { body: event['body'] }]);
  return { ...event, [part]: random.pick<unknown>([undefined, null, '', 0, true, [], {}, ['x'], { x: null }]) };
}

/** One event for one of the handlers, decided by the state of `random` and the fixtures. */
export function fuzzRequest(random: Random, fixtures: Fixtures): FuzzRequest {
  const operation = random.chance(0.5) ? 'createItem' : 'updateItem';
  const event = {
    ...fuzzHeaders(random),
    ...body(random, operation),
    httpMethod: operation === 'createItem' ? 'POST' : 'PUT',
    queryStringParameters: random.chance(0.05) ? { [hostileText(random)]: hostileText(random) } : null,
    pathParameters: operation === 'createItem' ? null : pathParameters(random, fixtures),
    requestContext: { requestId: `request-${random.below(10 ** 6)}`, authorizer: authorizer(random, fixtures) },
  };
  return { operation, event: random.chance(0.01) ? damaged(random, event) : event };
}
