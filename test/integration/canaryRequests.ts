import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { createToken } from '../../lib/access/tokenFormat.ts';
import type { JsonObject } from '../../lib/item/json.ts';
import type { Random } from '../support/time/random.ts';

/** Part of every text that a caller sends. No log line may contain it. */
export const canary = 'wren7';

/** A text that is unique to one place in one request. */
const marked = (random: Random, place: string): string => `${canary}-${place}-${random.below(10 ** 9)}`;

/** Sent repeatedly, so that some requests repeat a key with its body. */
const usualBody: JsonObject = { name: canary };

/** Accepted and rejected bodies, with canaries as values, as keys of custom fields, and as unknown fields. */
function body(random: Random): JsonObject {
  if (random.chance(0.2)) return usualBody;
  const text = (place: string) => marked(random, place);
  const fields: readonly JsonObject[] = [
    { sku: `${canary}-${random.below(4)}` },
    { sku: `${canary}-${random.below(4)}` },
    { pn: text('pn'), description: text('description'), tag: text('tag') },
    { metadata: { [text('key')]: text('value'), nested: { [text('key')]: [text('value')] } } },
    { metadata: { [text('key')]: null } },
    { [text('field')]: text('value') },
    { qty: 1.25, value: 2 },
    { unit: text('unit') },
    { unit: text('').slice(0, 8) },
    { type: text('type') },
    { category: text('category') },
    { active: text('active'), cost: text('cost') },
    { metadata: { ['__proto__']: 1, [text('key').repeat(5)]: 1 } },
    { ['__proto__']: { [text('key')]: text('value') } },
  ];
  return { name: text('name'), ...random.pick(fields), ...random.pick(fields) };
}

const mostly = (random: Random, usual: string, place: string): string =>
  random.chance(0.9) ? usual : marked(random, place);

function headers(random: Random, known: string): Record<string, string> {
  const token = random.pick([known, known, createToken((below) => random.below(below)), marked(random, 'token')]);
  return {
    authorization: `Bearer ${token}`,
    'content-type': mostly(random, 'application/json', 'type'),
    'user-agent': marked(random, 'agent'),
    cookie: marked(random, 'cookie'),
    origin: `https://${marked(random, 'origin')}.example`,
    ...(random.chance(0.1) && { 'if-match': mostly(random, `"${marked(random, 'tag')}"`, 'tag') }),
    ...(random.chance(0.3) && { 'idempotency-key': mostly(random, `${canary}-${random.below(5)}`, 'two words') }),
    'x-amzn-trace-id': `Root=1-5759e988-bd862e3fe1be46a994272793;${marked(random, 'trace')}`,
  };
}

/**
 * An event of API Gateway in which everything that a caller controls is a canary.
 * @param there an existing token and item, and the authorizer's result for the caller
 */
export function canaryEvent(random: Random, there: { token: string; id: number; authorizer: object }) {
  const text = random.chance(0.95) ? JSON.stringify(body(random)) : marked(random, 'no json');
  return {
    type: 'REQUEST',
    methodArn: `arn:aws:execute-api:local:0:api/stage/PUT/${marked(random, 'path')}`,
    headers: headers(random, there.token),
    multiValueHeaders: null,
    path: `/${marked(random, 'path')}`,
    pathParameters: { id: mostly(random, String(there.id), 'id') },
    queryStringParameters: { [marked(random, 'query')]: marked(random, 'query') },
    body: Buffer.from(text).toString('base64'),
    isBase64Encoded: random.chance(0.95),
    requestContext: {
      // Clients can choose the first with a header, but not the second.
      requestId: `request-${random.below(1_000_000)}`,
      extendedRequestId: 'UaBcDEFgHIJKLmn=',
      authorizer: random.chance(0.95) ? there.authorizer : {},
    },
  };
}

type Command = { readonly constructor: { readonly name: string }; readonly input: unknown };
type Send = (command: Command) => Promise<unknown>;

/** An error that quotes what was sent, as DynamoDB's do, also in a line that looks like a stack frame. */
const echo = (name: string, status: number | undefined, { input }: Command, more: object = {}): Error =>
  Object.assign(new Error(`${canary}\n    at ${canary} (${canary}.ts:1:1)\n${JSON.stringify(input)}`), {
    name,
    $metadata: { httpStatusCode: status },
    ...more,
  });

const item = { name: { S: canary }, metadata: { M: { [canary]: { S: canary } } } };
const reasons = [{ Code: 'ValidationError', Message: canary, Item: item }, { Code: 'None' }];
const throwing = (error: (command: Command) => unknown) => (): Send => async (command) => {
  throw error(command);
};

/** Where stored records occur: in responses, and in failed conditions. */
interface Carrier {
  Attributes?: object;
  Item?: object;
  Items?: object[];
  CancellationReasons?: { Item?: object }[];
}

/** Changes the type or content of some members of every record that is read. */
const damaged =
  (damage: object) =>
  (send: Send): Send => {
    const spoil = (carrier: Carrier): unknown => {
      for (const name of ['Attributes', 'Item'] as const)
        if (carrier[name] !== undefined) carrier[name] = { ...carrier[name], ...damage };
      carrier.CancellationReasons?.forEach(spoil);
      carrier.Items = (carrier.Items ?? []).map((record) => ({ ...record, ...damage }));
      return carrier;
    };
    return (command) =>
      send(command).then(
        (output) => spoil(output as Carrier),
        (error) => Promise.reject(spoil(error)),
      );
  };

/** What happens to the DynamoDB requests of a client's request. */
const stores: readonly ((send: Send) => Send)[] = [
  (send) => send,
  (send) => send,
  (send) => send,
  ...['ValidationException', 'AccessDeniedException', 'ResourceNotFoundException', 'ThrottlingException'].map((name) =>
    throwing((command) => echo(name, 400, command)),
  ),
  throwing((command) => echo('InternalServerError', 500, command)),
  throwing((command) => echo('InternalServerError', 500, command, { code: canary })),
  throwing((command) => echo('TimeoutError', undefined, command)),
  throwing((command) => echo('ConditionalCheckFailedException', 400, command, { Item: item })),
  throwing((command) => echo('TransactionCanceledException', 400, command, { CancellationReasons: reasons })),
  throwing((command) => new Error('outer', { cause: echo('Error', undefined, command) })),
  throwing((command) => new TypeError(`${JSON.stringify(command.input)} is not iterable`)),
  throwing(() => canary),
  throwing(() => ({ toString: () => canary })),
  damaged({ name: { N: '1' }, type: { S: canary }, metadata: { S: canary } }),
  damaged({ item: { S: canary } }),
  damaged({ permissions: { L: [{ S: canary }] } }),
  damaged({ unit: { S: canary }, decimals: { S: canary }, last: { S: canary } }),
];

/** A store that works, or fails in one of many ways from some request to DynamoDB on. */
export function anyStore(random: Random, client: DynamoDBClient): Pick<DynamoDBClient, 'send'> {
  const sound: Send = (command) => Reflect.apply(client.send, client, [command]);
  const failing = random.pick(stores)(sound);
  let left = random.below(4);
  const send: Send = (command) => (left-- > 0 ? sound(command) : failing(command));
  return { send: send as DynamoDBClient['send'] };
}
