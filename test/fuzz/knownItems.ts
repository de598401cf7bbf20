import { isDeepStrictEqual } from 'node:util';
import type { Json, JsonObject } from '../../lib/item/json.ts';
import { limits } from '../../lib/item/limits.ts';
import { created, fields, type ItemState, stateOf, updated } from '../support/items/itemModel.ts';

const bounds = limits.metadata;

const isText = (text: string, max: number): boolean => text.isWellFormed() && Array.from(text).length <= max;

const isVisible = (text: string): boolean => /[^\p{White_Space}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(text);

/** Whether metadata can hold a value at this level. */
function isStorable(value: Json, level: number): boolean {
  if (typeof value === 'string') return isText(value, bounds.stringLength);
  if (typeof value === 'number') return value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) <= 9.99e125);
  if (typeof value !== 'object' || value === null) return true;
  return (
    level <= bounds.levels &&
    Object.values(value).every((member) => isStorable(member, level + 1)) &&
    (Array.isArray(value) ||
      Object.keys(value).every((key) => key !== '' && key !== '__proto__' && isText(key, bounds.keyLength.max)))
  );
}

/** What no request may store, though the schema of an item allows it. */
const rules: Readonly<Record<string, (value: Json) => boolean>> = {
  name: (name) => isVisible(String(name)),
  description: (text) => String(text).isWellFormed(),
  sku: (text) => text === null || (isVisible(String(text)) && !/\p{Cf}/u.test(String(text))),
  pn: (text) => text === null || (isVisible(String(text)) && !/\p{Cf}/u.test(String(text))),
  tag: (text) => String(text).isWellFormed(),
  metadata: (value) => isStorable(value, 1),
};

/** The model rounds numbers of up to seven decimals. */
const isModelled = (value: unknown): boolean => typeof value !== 'number' || Number(value.toFixed(7)) === value;

/** The items as the responses so far have left them, by account and id. */
export class KnownItems {
  readonly #states = new Map<string, ItemState>();

  /**
   * Where an item in a response is not what its requests asked for, or is one that no request may store.
   * @param sent the body of the request if it was done, otherwise undefined
   */
  violations(account: unknown, data: JsonObject, isNew: boolean, sent: JsonObject = {}): string[] {
    const key = JSON.stringify([account, data['id']]);
    const shown = stateOf(data);
    const before = isNew ? undefined : this.#states.get(key);
    // As JSON, which has no negative zero.
    const expected = JSON.parse(JSON.stringify(isNew ? created(sent) : updated(before ?? shown, sent))) as ItemState;
    const seen = fields.filter((name) => Object.hasOwn(data, name));
    this.#states.set(key, { ...expected, ...Object.fromEntries(seen.map((name) => [name, shown[name] ?? null])) });
    // Neither shown nor modelled, it is not known any more.
    if (!seen.includes('cost') && !isModelled(sent['cost'])) this.#states.delete(key);
    const text = (value: unknown) => JSON.stringify(value)?.slice(0, 200);
    return seen.flatMap((name) => {
      const value = shown[name] as Json;
      if (rules[name]?.(value) === false) return [`${name} is ${text(value)}`];
      if (!isModelled(sent[name]) || isDeepStrictEqual(value, expected[name])) return [];
      return [`${name} is ${text(value)} after ${text(sent[name])} was sent`];
    });
  }
}
