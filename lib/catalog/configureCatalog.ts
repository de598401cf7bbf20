import { configurationFields, newNames } from '../item/configurationFields.ts';
import { CatalogError, type InvalidField, throwIfAny } from '../item/errors.ts';
import type { JsonObject } from '../item/json.ts';
import { type FieldSchemas, parseFields, required } from '../item/readBody.ts';
import type { CatalogConfigurator, Defaults } from './catalogStore.ts';

const { category, unit, defaults } = configurationFields;

/** Adds a category, also one of the same name. @throws CatalogError `VALIDATION_FAILED`, and as `addCategory` */
export async function createCategory(store: CatalogConfigurator, body: JsonObject) {
  const { name } = allFields(body, { name: newNames.category });
  return { id: await store.addCategory(name), name, archived: false };
}

/**
 * @returns the whole category, possibly with later changes by others
 * @throws CatalogError `NOTHING_TO_UPDATE`, `VALIDATION_FAILED`, and the errors of `changeCategory`
 */
export async function updateCategory(store: CatalogConfigurator, id: number, body: JsonObject) {
  const change = someFields(body, category);
  const { invalid } = parseFields(body, { name: newNames.category });
  // A form may send back a name that was accepted earlier.
  if (invalid.length > 0 && (await store.currentAccount()).categories.get(id)?.name !== change.name)
    throwIfAny(invalid);
  await store.changeCategory(id, change);
  const changed = (await store.currentAccount()).categories.get(id);
  if (changed === undefined) throw new CatalogError('CATEGORY_NOT_FOUND');
  return { id, ...changed };
}

/** Registers a unit, in NFC. @throws CatalogError `VALIDATION_FAILED`, and the errors of `addUnit` */
export async function createUnit(store: CatalogConfigurator, body: JsonObject) {
  const sent = allFields(body, { ...unit, unit: newNames.unit });
  // Earlier units may not be in NFC.
  const isNormalised = body['unit'] === sent.unit;
  if (!isNormalised && (await store.currentAccount()).units.has(String(body['unit'])))
    throw new CatalogError('UNIT_ALREADY_EXISTS');
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

function allFields<Fields>(body: JsonObject, schemas: FieldSchemas<Fields>): Fields {
  const { sent, invalid } = parseFields(body, schemas);
  const problemOf = (name: string): readonly InvalidField[] =>
    Object.hasOwn(body, name) ? invalid.filter(({ field }) => field === name) : [required(name)];
  throwIfAny(Object.keys(schemas).flatMap(problemOf));
  return sent as Fields;
}

/** @throws CatalogError `VALIDATION_FAILED`, or `NOTHING_TO_UPDATE` if there is none of the fields */
function someFields<Fields>(body: JsonObject, schemas: FieldSchemas<Fields>): Partial<Fields> {
  const { sent, invalid } = parseFields(body, schemas);
  throwIfAny(invalid);
  if (Object.keys(sent).length === 0) throw new CatalogError('NOTHING_TO_UPDATE');
  return sent;
}
