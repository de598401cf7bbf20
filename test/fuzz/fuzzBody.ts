import type { FieldName } from '../../lib/item/fields.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import { limits } from '../../lib/item/limits.ts';
import type { Random } from '../support/random.ts';
import { hostileText, hostileValue, quoted } from './hostileJson.ts';

/** A member of a JSON object, both parts as JSON text, so that a key can be repeated or malformed. */
type Member = [key: string, value: string];

const identifiers = ['A', 'B', 'C', 'D', 'E', 'caf\u00e9', 'cafe\u0301', ' A ', '', 'X#PN#Y'];

const anInteger = (random: Random, below: number) => String(random.below(below));
const anAmount = (random: Random) => String(random.below(10 ** 6) / 10 ** random.below(6));
const anIdentifier = (random: Random) =>
  random.chance(0.2)
    ? 'null'
    : JSON.stringify(random.chance(0.4) ? random.pick(identifiers) : `c${random.below(10 ** 6)}`);

/** Mostly a few keys that recur, and now and then many. */
const someMetadata = (random: Random) => {
  const [count, keys] = random.chance(0.05) ? [45, 1_000] : [random.below(5), 30];
  const key = () => random.pick(['colour', 'a.b', 'constructor', ...Array(4).fill(`k${random.below(keys)}`)]);
  const value = () => random.pick(['null', '"red"', '12.5', 'true', '[1,2,{"a":null}]', '{"w":40}']);
  return `{${Array.from({ length: count }, () => `${JSON.stringify(key())}:${value()}`)}}`;
};

/** Metadata that fills a body. Two such requests would make an item larger than DynamoDB stores. */
const largeMetadata = (random: Random) => {
  const text = 'あ'.repeat(limits.metadata.stringLength);
  const count = Math.floor(limits.body / (Buffer.byteLength(text) + 10)) - 1;
  const from = random.below(100);
  return `{${Array.from({ length: count }, (_, index) => `"k${from + index}":"${text}"`)}}`;
};

/** Metadata with about as many values as a key can have, or as many as a body can hold. */
const manyValues = (random: Random) =>
  `{"many":[${'0,'.repeat(random.pick([limits.metadata.valuesPerKey - 10 + random.below(20), 130_000]))}0]}`;

/** An accepted value for each field. */
const accepted: Readonly<Record<FieldName, (random: Random) => string>> = {
  name: (random) => `"Chair ${anInteger(random, 1_000)}"`,
  type: (random) => random.pick(['"product"', '"service"']),
  category: (random) => random.pick(['null', '1', '2']),
  value: anAmount,
  qty: anAmount,
  unit: (random) => random.pick(['"un"', '"hour"', '"kg"', '"g"']),
  description: (random) => random.pick(['null', '""', '"With arms"']),
  active: (random) => random.pick(['true', 'false', '1', '0']),
  cost: anAmount,
  tax: anAmount,
  sku: anIdentifier,
  pn: anIdentifier,
  tag: (random) => random.pick(['null', '""', '"seat;wood"']),
  metadata: (random) => (random.chance(0.2) ? 'null' : someMetadata(random)),
};

/** Keys that are no field's, though some look like one. */
const strangeKeys = ['id', 'create_date', 'category_name', '__proto__', 'constructor', 'Name', 'name ', 'n', 'cost\0'];

const member = (random: Random, field: FieldName): Member => [JSON.stringify(field), accepted[field](random)];

/** Changes one member of a body. */
function mutate(random: Random, members: Member[]): void {
  const place = random.below(members.length);
  const [key = '"name"', value = '0'] = members[place] ?? [];
  const field = random.pick(fieldNames);
  const changes: (() => unknown)[] = [
    () => members.splice(place, 1, [key, hostileValue(random)]),
    () => members.splice(place, 1, [key, hostileValue(random)]),
    () => members.push([JSON.stringify(field), hostileValue(random)]),
    () => members.push(['"metadata"', `{${quoted(random, hostileText(random))}:${hostileValue(random)}}`]),
    () => members.push([JSON.stringify(random.pick(strangeKeys)), hostileValue(random)]),
    () => members.push([quoted(random, hostileText(random)), value]),
    () => members.push(member(random, field), member(random, field)),
    () => members.splice(place, 1),
    () => members.splice(place, 1, [quoted(random, field), value]),
  ];
  random.pick(changes)();
}

/** Changes the text of a body, which may no longer be JSON. */
function scramble(random: Random, text: string): string {
  const from = random.below(text.length + 1);
  const to = from + random.below(8);
  const inserted = random.pick([',', '}', '{', '"', '\\', '\0', '\ufeff', '[', ' ', 'e', '\\u', '//', '\ud800']);
  return random.pick([
    text.slice(0, from),
    text.slice(0, from) + text.slice(to),
    text.slice(0, from) + inserted + text.slice(from),
    text.slice(0, from) + text.slice(from, to) + text.slice(from),
    inserted + text,
    text + text,
  ]);
}

/**
 * The text of a body: an accepted one with up to eight changes to its members, and sometimes one to its text.
 * @param needsName whether it is for a create
 */
export function fuzzBody(random: Random, needsName: boolean): string {
  if (random.chance(0.02)) return hostileValue(random);
  if (random.chance(0.005)) return `{"name":"Large","metadata":${largeMetadata(random)}}`;
  if (random.chance(0.003)) return `{"name":"Many","metadata":${manyValues(random)}}`;
  const chosen = fieldNames.filter((field) => (needsName && field === 'name') || random.chance(0.25));
  const members = chosen.map((field) => member(random, field));
  const changes = random.chance(0.2) ? 0 : random.pick([1, 1, 2, 2, 4, 8]);
  for (let change = 0; change < changes; change += 1) mutate(random, members);
  const blank = random.pick(['', '', ' ', '\n\t']);
  const text = `{${members.map(([key, value]) => `${blank}${key}${blank}:${blank}${value}`)}${blank}}`;
  return random.chance(0.06) ? scramble(random, text) : text;
}
