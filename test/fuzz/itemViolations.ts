import { initialUnits } from '../../lib/item/account.ts';
import type { FieldName } from '../../lib/item/fields.ts';
import { fieldNames } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';

const isTextUpTo = (max: number, text: string): boolean => text.isWellFormed() && Array.from(text).length <= max;

const hasDecimals = (value: unknown, decimals: number): boolean => Number(Number(value).toFixed(decimals)) === value;

const isVisible = (text: string) =>
  text.replaceAll(/\p{White_Space}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '') !== '';

const isIdentifier = (text: unknown) =>
  text === null ||
  (typeof text === 'string' && isVisible(text) && text === text.trim().normalize('NFC') && !/\p{Cf}/u.test(text));

const bounds = limits.metadata;

/** Whether metadata can hold a value at this level. */
function isStorable(value: Json, level: number): boolean {
  if (typeof value === 'string') return isTextUpTo(bounds.stringLength, value);
  if (typeof value === 'number') return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= 9.99e125);
  if (typeof value !== 'object' || value === null) return true;
  if (level > bounds.levels) return false;
  if (Array.isArray(value)) return value.every((element) => isStorable(element, level + 1));
  return Object.entries(value).every(
    ([key, member]) =>
      key !== '' && key !== '__proto__' && isTextUpTo(bounds.keyLength.max, key) && isStorable(member, level + 1),
  );
}

/** What the schema of an item cannot say about its members. */
const rules: Readonly<Record<string, (value: Json) => boolean>> = {
  name: (name) => isVisible(String(name)),
  value: (value) => hasDecimals(value, 4),
  qty: (value) => hasDecimals(value, 4),
  cost: (value) => hasDecimals(value, 4),
  tax: (value) => hasDecimals(value, 6),
  description: (text) => text === null || String(text).isWellFormed(),
  sku: isIdentifier,
  pn: isIdentifier,
  tag: (text) => text === null || String(text).isWellFormed(),
  metadata: (value) => Object.values(value as JsonObject).every((member) => member !== null) && isStorable(value, 1),
};

/**
 * Where an item in a response breaks what its schema cannot say.
 * @param seesCost whether the caller may see `cost`, which must be left out otherwise
 */
export function itemViolations(data: JsonObject, seesCost: boolean): string[] {
  const fields = fieldNames.flatMap((name) => (name === 'category' ? [name, 'category_name'] : [name]));
  const expected = ['id', ...fields, 'create_date', 'revision', 'updated_at', 'updated_by'].filter(
    (name) => seesCost || name !== 'cost',
  );
  const names = Object.keys(data);
  if (names.join() !== expected.join()) return [`the members are ${names}`];
  return Object.entries(rules)
    .filter(([name, isValid]) => name in data && !isValid(data[name] as Json))
    .map(([name]) => `${name} is ${JSON.stringify(data[name])?.slice(0, 200)}`);
}

/** A new item's quantity is rounded by its unit; a later change of the unit leaves it as it is (spec 4.2 rule 1). */
export const newItemViolations = ({ qty, unit }: JsonObject): string[] =>
  hasDecimals(qty, initialUnits.get(String(unit)) ?? 0) ? [] : [`${qty} has more decimals than ${unit}`];

/** Whether a member of a response is what the request asked for. */
type Comparison = (sent: unknown, data: JsonObject, name: string) => boolean;

const same: Comparison = (sent, data, name) => data[name] === sent;

/** At most half of the last decimal away, or rounded down at the maximum. */
const isNear = (sent: unknown, shown: unknown, decimals: number, max: number): boolean => {
  const unit = 10 ** -decimals;
  const slack = max * Number.EPSILON;
  const distance = Math.abs(Number(sent) - Number(shown));
  return distance <= unit / 2 + slack || (Number(shown) + unit > max - slack && distance < unit);
};

const roundedAmount =
  (max: number, decimals: number): Comparison =>
  (sent, data, name) =>
    isNear(sent, data[name], decimals, max);

const identifier: Comparison = (sent, data, name) =>
  data[name] ===
  (String(sent ?? '')
    .trim()
    .normalize('NFC') || null);

/** The unit of the response is the one that was sent, or else the stored one. */
const quantity: Comparison = (sent, { qty, unit }) =>
  isNear(sent, qty, initialUnits.get(String(unit)) ?? 0, limits.qty.max);

/** The fields whose value in a response follows from the request alone, which `metadata` does not: it is merged. */
const comparisons: Readonly<Record<Exclude<FieldName, 'metadata'>, Comparison>> = {
  name: same,
  type: same,
  category: same,
  value: roundedAmount(limits.value.max, 4),
  qty: quantity,
  unit: same,
  description: same,
  active: (sent, data) => data['active'] === Boolean(sent),
  cost: roundedAmount(limits.cost.max, 4),
  tax: roundedAmount(limits.tax.max, 6),
  sku: identifier,
  pn: identifier,
  tag: same,
};

/** The members of a response that are not what its request asked for. */
export function requestViolations(event: unknown, data: JsonObject): string[] {
  const { body, isBase64Encoded } = event as { body?: unknown; isBase64Encoded?: unknown };
  if (typeof body !== 'string') return [];
  const sent: JsonObject = JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString() : body);
  return Object.entries(comparisons)
    .filter(([name]) => Object.hasOwn(sent, name) && Object.hasOwn(data, name))
    .filter(([name, isAsSent]) => !isAsSent(sent[name], data, name))
    .map(([name]) => `${name} was sent as ${JSON.stringify(sent[name])?.slice(0, 200)}, and is not`);
}
