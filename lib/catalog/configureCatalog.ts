import type { Account } from '../item/account.ts';
import { configurationFields } from '../item/configurationFields.ts';
import { CatalogError, type InvalidField, throwIfAny } from '../item/errors.ts';
import type { JsonObject } from '../item/json.ts';
import { limits } from '../item/limits.ts';
import { type FieldSchemas, parseFields, required } from '../item/readBody.ts';
import type { CatalogConfigurator, Defaults } from './catalogStore.ts';

const { category, unit, defaults } = configurationFields;

/** Adds a category, even one of the same name. @throws CatalogError `VALIDATION_FAILED`, and as `addCategory` */
export async function createCategory(store: CatalogConfigurator, body: JsonObject) {
  const { name } = allFields(body, { name: category.name });
  requireRoom(await store.currentAccount(), 'categories', 'name', name);
  return { id: await store.addCategory(name), name, archived: false };
}

/**
 * @returns the whole category, possibly with later changes by others
 * @throws CatalogError `NOTHING_TO_UPDATE`, `VALIDATION_FAILED`, and the errors of `changeCategory`
 */
export async function updateCategory(store: CatalogConfigurator, id: number, body: JsonObject) {
  const change = someFields(body, category);
  if (change.name !== undefined) {
    const account = await store.currentAccount();
    const isLonger = bytesOf(change.name) > bytesOf(account.categories.get(id)?.name ?? change.name);
    if (isLonger) requireBytes(account, 'name', change.name);
  }
  await store.changeCategory(id, change);
  const changed = (await store.currentAccount()).categories.get(id);
  if (changed === undefined) throw new CatalogError('CATEGORY_NOT_FOUND');
  return { id, ...changed };
}

/** Registers a unit, in NFC. @throws CatalogError `VALIDATION_FAILED`, and the errors of `addUnit` */
export async function createUnit(store: CatalogConfigurator, body: JsonObject) {
  const sent = allFields(body, unit);
  requireRoom(await store.currentAccount(), 'units', 'unit', sent.unit);
  await store.addUnit(sent.unit, sent.decimals);
  return sent;
}

/**
 * @returns both defaults, possibly with later changes by others
 * @throws CatalogError `NOTHING_TO_UPDATE`, `VALIDATION_FAILED`, and the errors of `setDefaults`
 */
export async function updateDefaults(store: CatalogConfigurator, body: JsonObject): Promise<Defaults> {
  await store.setDefaults(someFields(body, defaults));
  const { defaultCategory, defaultTax } = await store.currentAccount();
  return { category: defaultCategory, tax: defaultTax };
}

/** @throws CatalogError `VALIDATION_FAILED` if there are already as many as forms can load */
function requireRoom(account: Account, kind: 'categories' | 'units', field: string, added: string): void {
  const limit = limits.configuration[kind];
  const reason = `is one more than the ${limit} ${kind} of an account`;
  if (account[kind].size >= limit) throwIfAny([{ field, reason, rule: 'max_items', limit }]);
  requireBytes(account, field, added);
}

/** @throws CatalogError `VALIDATION_FAILED` if reference data would be too large with another name */
function requireBytes({ categories, units }: Account, field: string, added: string): void {
  const { bytes: limit } = limits.configuration;
  const names = [added, ...[...categories.values()].map(({ name }) => name), ...units.keys()];
  const size = names.reduce((sum, name) => sum + bytesOf(name) + perEntry, 0);
  const reason = `is too long: the categories and units of an account have at most ${limit / 1024 / 1024} MB`;
  if (size > limit) throwIfAny([{ field, reason, rule: 'max_bytes', limit }]);
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/** Bytes of a category in a response, besides its name. */
const perEntry = 45;

function allFields<Fields>(body: JsonObject, schemas: FieldSchemas<Fields>): Fields {
  const { sent, invalid } = parseFields(body, schemas);
  const problemOf = (name: string): readonly InvalidField[] =>
    Object.hasOwn(body, name) ? invalid.filter(({ field }) => field === name) : [required(name)];
  throwIfAny(Object.keys(schemas).flatMap(problemOf));
  return sent as Fields;
}

/** @throws CatalogError `VALIDATION_FAILED`, or `NOTHING_TO_UPDATE` if none of the fields was sent */
function someFields<Fields>(body: JsonObject, schemas: FieldSchemas<Fields>): Partial<Fields> {
  const { sent, invalid } = parseFields(body, schemas);
  throwIfAny(invalid);
  if (Object.keys(sent).length === 0) throw new CatalogError('NOTHING_TO_UPDATE');
  return sent;
}
