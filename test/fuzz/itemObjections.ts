import { initialUnits } from '../../lib/item/account.ts';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';

type Check = (value: unknown) => boolean;

const codePoints = (text: string): number => Array.from(text).length;

const isText =
  (max: number, isMore: (text: string) => boolean = () => true): Check =>
  (value) =>
    typeof value === 'string' && value.isWellFormed() && codePoints(value) <= max && isMore(value);

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

const isOnOneLine = (text: string) => !/\p{Cc}/u.test(text);
const isCode = orNull(
  isText(limits.identifier.max, (code) => code !== '' && code === code.trim().normalize('NFC') && isOnOneLine(code)),
);

const bounds = limits.metadata;

/** Whether a value can be within custom fields, at so many levels below them. */
function isKept(value: Json, level: number): boolean {
  if (typeof value === 'string') return isText(bounds.stringLength)(value);
  if (typeof value === 'number') return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= 9.99e125);
  if (typeof value !== 'object' || value === null) return true;
  if (level > bounds.levels) return false;
  if (Array.isArray(value)) return value.every((element) => isKept(element, level + 1));
  return Object.entries(value).every(
    ([key, member]) =>
      isText(bounds.keyLength.max, (text) => text !== '' && text !== '__proto__')(key) && isKept(member, level + 1),
  );
}

const isMetadata: Check = (value) =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length <= bounds.keysStored &&
  Object.values(value).every((member) => member !== null) &&
  isKept(value as JsonObject, 1);

const isCategory: Check = (value) => value === null || value === 1 || value === 2;

/** Every member of an item in a response, in the order of spec table 2.1, and what it must be in an account with the initial units. */
const members: Readonly<Record<string, Check>> = {
  id: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  name: isText(limits.name.max, (name) => name.trim() !== '' && isOnOneLine(name)),
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
  sku: isCode,
  pn: isCode,
  tag: orNull(isText(limits.tag.max)),
  metadata: isMetadata,
  create_date: (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/.test(String(value)),
};

/**
 * What the bounds of the specification (spec 8) have against an item in a response.
 * @param seesCost whether the caller may see `cost`; without it the member must be left out
 */
export function itemObjections(data: JsonObject, seesCost: boolean): string[] {
  const expected = Object.keys(members).filter((name) => seesCost || name !== 'cost');
  const names = Object.keys(data);
  if (names.join() !== expected.join()) return [`the members are ${names}`];
  return expected
    .filter((name) => members[name]?.(data[name]) !== true)
    .map((name) => `${name} is ${JSON.stringify(data[name])?.slice(0, 200)}`);
}
