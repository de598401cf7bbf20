import { initialUnits } from '../../lib/item/account.ts';
import type { FieldName } from '../../lib/item/fields.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';

/** Whether a response may show this value. */
type Check = (value: unknown) => boolean;

const codePoints = (text: string): number => Array.from(text).length;

const isText =
  (max: number, isValid: (text: string) => boolean = () => true): Check =>
  (value) =>
    typeof value === 'string' && value.isWellFormed() && codePoints(value) <= max && isValid(value);

const isAmount =
  (max: number, decimals: number): Check =>
  (value) =>
    typeof value === 'number' &&
    !Object.is(value, -0) &&
    value >= 0 &&
    value <= max &&
    Number(value.toFixed(decimals)) === value;

const orNull =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

const hasNoControls = (text: string) => !/\p{Cc}/u.test(text);
const hasNoFormats = (text: string) => !/\p{Cf}/u.test(text);
const isVisible = (text: string) =>
  text.replaceAll(/\p{White_Space}|\p{Cf}|\p{Default_Ignorable_Code_Point}/gu, '') !== '';
const isIdentifier = orNull(
  isText(
    limits.identifier.max,
    (text) => isVisible(text) && text === text.trim().normalize('NFC') && hasNoControls(text) && hasNoFormats(text),
  ),
);

const bounds = limits.metadata;

/** Whether metadata can hold a value at this level. */
function isStorable(value: Json, level: number): boolean {
  if (typeof value === 'string') return isText(bounds.stringLength)(value);
  if (typeof value === 'number') return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= 9.99e125);
  if (typeof value !== 'object' || value === null) return true;
  if (level > bounds.levels) return false;
  if (Array.isArray(value)) return value.every((element) => isStorable(element, level + 1));
  return Object.entries(value).every(
    ([key, member]) =>
      isText(bounds.keyLength.max, (text) => text !== '' && text !== '__proto__')(key) && isStorable(member, level + 1),
  );
}

const isMetadata: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= bounds.keysStored &&
  Object.values(value).every((member) => member !== null) &&
  isStorable(value as JsonObject, 1);

const isCategory: Check = (value) => value === null || value === 1 || value === 2;

/** What each member of an item in a response must be, in the order of spec table 2.1, in an account with the initial units. */
const members: Readonly<Record<FieldName | 'id' | 'category_name' | 'create_date', Check>> = {
  id: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  name: isText(limits.name.max, (name) => isVisible(name) && hasNoControls(name)),
  type: (value) => value === 'product' || value === 'service',
  category: isCategory,
  category_name: (value) => value === null || value === 'General' || value === 'Furniture',
  value: isAmount(limits.value.max, 4),
  qty: isAmount(limits.qty.max, 4),
  unit: (value) => initialUnits.has(String(value)),
  description: orNull(isText(limits.description.max)),
  active: (value) => typeof value === 'boolean',
  cost: isAmount(limits.cost.max, 4),
  tax: isAmount(limits.tax.max, 6),
  sku: isIdentifier,
  pn: isIdentifier,
  tag: orNull(isText(limits.tag.max)),
  metadata: isMetadata,
  create_date: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/.test(String(value)),
};

/**
 * Where an item in a response breaks the bounds of spec 8.
 * @param seesCost whether the caller may see `cost`, which must be left out otherwise
 */
export function itemViolations(data: JsonObject, seesCost: boolean): string[] {
  const checks = Object.entries(members).filter(([name]) => seesCost || name !== 'cost');
  const expected = checks.map(([name]) => name);
  const names = Object.keys(data);
  if (names.join() !== expected.join()) return [`the members are ${names}`];
  return checks
    .filter(([name, isValid]) => !isValid(data[name]))
    .map(([name]) => `${name} is ${JSON.stringify(data[name])?.slice(0, 200)}`);
}

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
