import type { Random } from '../support/random.ts';
import { hostileText } from './hostileJson.ts';

type Header = [name: string, value: unknown];

const mediaTypes = [
  ...['application/json; charset=utf-8', 'application/json;charset="UTF-8"', 'APPLICATION/JSON', 'application/json '],
  ...['text/plain', 'application/json; charset=latin1', 'application/json, text/plain', 'application/jsonx', ''],
  ...['application/merge-patch+json', 'application/json;', `application/json${' '.repeat(10_000)}x`],
];

const entityTags = [
  ...['"1"', '"2"', '"3"', '*', '"1", "2"', '"1","2","3","4","5"', 'W/"1"', '"01"', '"0"', '"x"', '""', '1', ' "1" '],
  ...['"9007199254740993"', '"1" "2"', '*, "1"', '"', ',', '', '"1",', '"\0"', '"é"'],
  ...[`${'"2",'.repeat(99)}"1"`, `${'"2",'.repeat(100)}"1"`, `"${'1'.repeat(10_000)}"`, '"1", '.repeat(3_000)],
];

const idempotencyKeys = ['', ' ', 'a b', '"', '""', '"a', 'é', '\0', 'x'.repeat(255), 'x'.repeat(256), '"a"', 'a,b'];

const otherNames = ['X-Account-Id', 'X-Forwarded-For', 'Cookie', '__proto__', 'constructor', 'toString', '', 'Origin'];

/** Header names are case-insensitive. */
const inAnyCase = (random: Random, name: string): string =>
  random.chance(0.5) ? name : name.replace(/[a-z]/g, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter));

function chosenHeaders(random: Random): Header[] {
  const headers: Header[] = [['content-type', random.chance(0.96) ? 'application/json' : random.pick(mediaTypes)]];
  const sometimes = (probability: number, name: string, value: () => unknown) =>
    random.chance(probability) && headers.push([name, value()]);
  sometimes(0.9, 'authorization', () => 'Bearer cat_token');
  sometimes(0.15, 'if-match', () => random.pick(entityTags));
  sometimes(0.02, 'if-match', () => hostileText(random));
  sometimes(0.1, 'idempotency-key', () => `key-${random.below(20)}`);
  sometimes(0.03, 'idempotency-key', () => random.pick(idempotencyKeys));
  sometimes(0.005, 'idempotency-key', () => hostileText(random));
  sometimes(0.05, 'origin', () => random.pick(['https://shop.example', 'null', '*', '', hostileText(random)]));
  sometimes(0.05, random.pick(otherNames), () => hostileText(random));
  sometimes(0.01, random.pick(headers)[0], () => random.pick<unknown>(['x', 5, null, ['application/json'], {}]));
  if (random.chance(0.02)) headers.splice(random.below(headers.length), 1);
  return headers.map(([name, value]) => [inAnyCase(random, name), value]);
}

/** The headers in both places of API Gateway's event, or in one of them. */
export function fuzzHeaders(random: Random): { headers: unknown; multiValueHeaders: unknown } {
  const sent = chosenHeaders(random);
  const headers = Object.fromEntries(sent);
  const multiValueHeaders = Object.fromEntries(
    [...Map.groupBy(sent, ([name]) => name)].map(([name, values]) => [name, values.map(([, value]) => value)]),
  );
  return random.pick([
    { headers, multiValueHeaders },
    { headers, multiValueHeaders },
    { headers, multiValueHeaders: null },
    { headers, multiValueHeaders: {} },
    { headers: null, multiValueHeaders },
    { headers: {}, multiValueHeaders },
  ]);
}
